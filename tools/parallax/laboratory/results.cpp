// parallax results: the reports of many machines as pages.
#include "report/collection.hpp"

#include "job/paths.hpp"
#include "laboratory/commands.hpp"

#include <fmt/format.h>

namespace parallax::cli {

namespace {

struct ResultsOptions {
    std::vector<std::string> where;
    std::string out;
    bool overwrite = false;
};

int make_results(const ResultsOptions& options) {
    namespace fs = std::filesystem;
    std::vector<fs::path> where;
    for (const std::string& one : options.where) {
        where.push_back(engine::path_from(one));
        if (!fs::exists(where.back())) where.back() = report_file(one);   // whose error says what is there
    }
    const fs::path folder = fs::absolute(engine::path_from(options.out));
    if (fs::exists(folder / "index.html") && !options.overwrite)
        throw ConfigError("--out", "the existing pages " + options.out, "a folder without an index.html",
                          "use --overwrite to replace them");
    engine::writable_ancestor(folder / "index.html", "--out");
    const auto found = engine::compare::collect(where, folder);
    engine::compare::write_collection(found, folder, options.overwrite);
    fmt::print("{}\n", engine::to_utf8((folder / "index.html").lexically_normal()));
    return 0;
}

}  // namespace

void add_results(CLI::App& app, Command& command) {
    CLI::App* sub =
        app.add_subcommand("results", "Make pages of many machines' reports: an index, and every study with all devices");
    auto options = std::make_shared<ResultsOptions>();
    sub->add_option("WHERE", options->where,
                    "Folders with report.json or report.json.gz below them, such as results, and reports of one's own")
        ->required();
    sub->add_option("--out", options->out, "Folder of the pages")->required();
    sub->add_flag("--overwrite", options->overwrite, "Replace files in --out");
    sub->callback([options, &command] { command.run = [options] { return make_results(*options); }; });
}

}  // namespace parallax::cli
