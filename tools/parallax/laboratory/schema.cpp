// parallax schema: the JSON Schemas of jobs, studies and reports, made from the same tables as the parsers.
#include "laboratory/commands.hpp"
#include "report/report.hpp"
#include "study/study.hpp"
#include "console.hpp"
#include "job/schema.hpp"
#include "peers/peers.hpp"

#include <fmt/format.h>

namespace parallax::cli {

void add_schema(CLI::App& app, Command& command) {
    CLI::App* sub =
        app.add_subcommand("schema", "Print the JSON Schema of jobs, of studies, or of the reports of compare (configs/schema)");
    auto what = std::make_shared<std::string>("job");
    sub->add_option("WHAT", *what, "job, study or report")
        ->check(CLI::IsMember({"job", "study", "report"}))
        ->capture_default_str();
    sub->callback([what, &command] {
        command.run = [what] {
            const engine::Registry registry = engine::registry_with_peers();
            fmt::print("{}\n", text_of(*what == "report"  ? engine::compare::report_schema()
                                       : *what == "study" ? engine::compare::study_schema(registry.algorithms())
                                                          : engine::job_schema(registry.algorithms())));
            return 0;
        };
    });
}

}  // namespace parallax::cli
