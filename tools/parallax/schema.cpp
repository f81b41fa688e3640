// parallax schema: the JSON Schemas of jobs and studies, made from the same tables as the parsers.
#include "commands.hpp"
#include "compare/study.hpp"
#include "console.hpp"
#include "job/schema.hpp"

#include <fmt/format.h>

namespace parallax::cli {

void add_schema(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("schema", "Print the JSON Schema of jobs, or of studies (configs/schema)");
    auto what = std::make_shared<std::string>("job");
    sub->add_option("WHAT", *what, "job or study")->check(CLI::IsMember({"job", "study"}))->capture_default_str();
    sub->callback([what, &command] {
        command.run = [what] {
            const engine::Registry registry;
            fmt::print("{}\n", text_of(*what == "study" ? engine::compare::study_schema(registry.algorithms()) : engine::job_schema(registry.algorithms())));
            return 0;
        };
    });
}

}  // namespace parallax::cli
