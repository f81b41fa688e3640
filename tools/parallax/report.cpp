// parallax report: report.json of one or several machines -> one report.
#include "commands.hpp"
#include "compare/report.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"

#include <fmt/format.h>

namespace parallax::cli {

namespace {

int report(const std::vector<std::string>& files, const std::string& out, bool overwrite) {
    std::vector<Json> reports;
    for (const std::string& file : files) {
        reports.push_back(engine::load_json(engine::path_from(file)));
        engine::compare::check_report(reports.back(), file);
    }
    if (out.empty() && files.size() > 1) throw ConfigError("--out", "nothing", "a folder for the report of several machines");
    const std::filesystem::path folder = out.empty() ? engine::path_from(files.front()).parent_path() : engine::path_from(out);
    const Json merged = engine::compare::merge(reports, files);
    engine::compare::write_report(merged, folder, overwrite || out.empty());
    fmt::print("{}\n", engine::to_utf8(std::filesystem::absolute(folder / "report.html").lexically_normal()));
    return 0;
}

}  // namespace

void add_report(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("report", "Make report.html from one report.json, or one report from several machines'");
    struct Options { std::vector<std::string> files; std::string out; bool overwrite = false; };
    auto options = std::make_shared<Options>();
    sub->add_option("REPORT", options->files, "report.json or report.json.gz, several to be merged")->required();
    sub->add_option("--out", options->out, "Folder; of one report by default its own, whose files are made anew");
    sub->add_flag("--overwrite", options->overwrite, "Replace files in --out");
    sub->callback([options, &command] {
        command.origin = options->files.size() == 1 ? options->files.front() : std::string();
        command.run = [options] { return report(options->files, options->out, options->overwrite); };
    });
}

}  // namespace parallax::cli
