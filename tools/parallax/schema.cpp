// parallax schema: the JSON Schema of jobs, made from the same tables as the parser.
#include "commands.hpp"
#include "console.hpp"
#include "job/schema.hpp"

#include <fmt/format.h>

namespace parallax::cli {

void add_schema(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("schema", "Print the JSON Schema of jobs (configs/schema/job.schema.json)");
    sub->callback([&command] {
        command.run = [] {
            const engine::Registry registry;
            fmt::print("{}\n", text_of(engine::job_schema(registry.algorithms())));
            return 0;
        };
    });
}

}  // namespace parallax::cli
