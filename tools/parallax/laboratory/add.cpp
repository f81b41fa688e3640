#include "laboratory/commands.hpp"

namespace parallax::cli {

void add_laboratory(CLI::App& app, Command& command) {
    add_compare(app, command);
    add_report(app, command);
    add_history(app, command);
    add_results(app, command);
    add_rates(app, command);
    add_tune(app, command);
    add_selftest(app, command);
    add_schema(app, command);
    add_worker(app, command);
    add_bindings(app, command);
}

}  // namespace parallax::cli
