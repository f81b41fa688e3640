// parallax init: a job to start from, every parameter at its default with a line on it.
#include "commands.hpp"
#include "console.hpp"
#include "job/schema.hpp"
#include "peers/peers.hpp"

#include <fmt/format.h>

namespace parallax::cli {

void add_init(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("init", "Print a commented job to start from");
    auto name = std::make_shared<std::string>();
    sub->add_option("ALGORITHM", *name, "What the job runs")->required();
    sub->callback([name, &command] {
        command.run = [name] {
            const engine::Registry registry = engine::registry_with_peers();
            fmt::print("{}\n", text_of(engine::starting_job(registry.get(*name, "ALGORITHM"))));
            return 0;
        };
    });
}

}  // namespace parallax::cli
