// parallax report: report.json of one or several machines -> one report.
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "console.hpp"
#include "compare/report_names.hpp"
#include "io/transaction.hpp"
#include "job/files_of_run.hpp"
#include "job/input_folders.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"
#include "laboratory/commands.hpp"
#include "report/contribution.hpp"
#include "report/unread.hpp"

namespace parallax::cli {

namespace {

constexpr const char* wanted_report = "a report.json of parallax compare, or a folder that has one";

}  // namespace

std::filesystem::path report_file(const std::string& given) {
    const std::filesystem::path path = engine::path_from(given);
    std::error_code error;
    const std::filesystem::file_type type = std::filesystem::status(path, error).type();
    if (type == std::filesystem::file_type::none)   // a name that is too long, say
        throw ConfigError("", fmt::format("\"{}\": {}", given, error.message()), wanted_report);
    const bool is_folder = type == std::filesystem::file_type::directory;
    engine::InputFolders().recover_of(is_folder ? path / "report.json" : path);   // what was half done there may be this
    if (!is_folder) return path;
    for (const char* name : {"report.json", "report.json.gz"})
        if (std::filesystem::is_regular_file(path / name)) return path / name;   // a pipe there would be waited for
    const bool unfinished = std::filesystem::exists(path / "journal.jsonl");
    throw ConfigError("", fmt::format("no report in the folder {}", given), "a report.json, or a folder that has one",
                      unfinished ? "its study was interrupted: compare --resume finishes it" : "");
}

Json load_report(const std::string& given) {
    Json json;
    try {
        json = engine::load_json(report_file(given));
    } catch (const ConfigError& error) {   // whose advice is for jobs
        const bool close = error.hint.starts_with("did you mean") || error.hint.find("--resume") != std::string::npos;
        const bool large = error.expected.find("at most") != std::string::npos;
        throw ConfigError("", error.found, large ? error.expected : wanted_report,
                          close   ? error.hint
                          : large ? "fewer rows or samples: a study's cases in two files"
                                  : "");
    }
    engine::compare::check_report(json, given);
    return json;
}

void refuse_twice(const std::vector<std::string>& files) {
    std::vector<std::filesystem::path> seen;
    for (const std::string& file : files) {
        seen.push_back(std::filesystem::weakly_canonical(report_file(file)));
        if (std::count(seen.begin(), seen.end(), seen.back()) > 1)
            throw ConfigError("", fmt::format("{}, a report that is there already", file), "each report once");
    }
}

namespace {

struct Asked {
    std::vector<std::string> files, prices;
    std::string out, contribute;
    bool overwrite = false;
};

engine::FilesOfRun files_of_command(const std::vector<std::string>& reports) {
    return {[&reports](engine::FilesOfRun& files) {
                for (const std::string& file : reports) files.add(std::vector{engine::OwnFile{report_file(file), "a report that is read"}});
            },
            false};
}

int report(const Asked& asked) {
    const auto& [files, prices, out, contribute, overwrite] = asked;
    std::vector<Json> reports;
    for (const std::string& file : files) {
        reports.push_back(load_report(file));
    }
    refuse_twice(files);
    engine::compare::add_prices(reports.front()["study"], prices);
    if (out.empty() && files.size() > 1) throw ConfigError("--out", "nothing", "a folder for the report of several machines");
    const std::filesystem::path folder = out.empty() ? report_file(files.front()).parent_path() : engine::path_from(out);
    engine::writable_ancestor(folder / "report.json", "--out");
    for (const std::filesystem::path& name : engine::compare::report_names())
        engine::compare::check_name(folder, name, overwrite || out.empty(), false);
    engine::FilesOfRun read = files_of_command(files);
    // Merged with the others once more its rows would be there twice; one report alone may be made anew where it lies.
    if (files.size() > 1) engine::compare::check_unread(folder, read);
    const std::filesystem::path given = engine::path_from(contribute);
    if (!contribute.empty())
        engine::compare::check_contribution(given, overwrite, read, folder, "use --overwrite to replace it");
    const Json merged = engine::compare::merge(reports, files);
    std::vector<std::pair<std::string, std::string>> devices;
    for (const Json& device : merged["devices"])
        devices.emplace_back(device["label"].get<std::string>(), device["info"]["name"].get<std::string>());
    engine::compare::check_prices(prices, devices);
    io::Transaction made(folder, {.overwrite = overwrite || out.empty()});
    engine::compare::add_report(merged, folder, made);
    if (!contribute.empty())
        made.add_beside(given, overwrite, [&](const std::filesystem::path& part) {
            engine::compare::write_contribution(merged, part, true);
        });
    made.commit();
    if (!contribute.empty()) put(host::printable(engine::compare::how_to_contribute(given)) + "\n");
    fmt::print("{}\n", engine::to_utf8(std::filesystem::absolute(folder / "report.html").lexically_normal()));
    return 0;
}

}  // namespace

void add_report(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("report", "Make report.html from one report.json, or one report from several machines'");
    auto options = std::make_shared<Asked>();
    sub->add_option("REPORT", options->files, "report.json, report.json.gz or a folder that has one; several to be merged")
        ->required();
    sub->add_option("--out", options->out, "Folder; of one report by default its own, whose files are made anew");
    sub->add_flag("--overwrite", options->overwrite, "Replace files in --out");
    sub->add_option("--contribute", options->contribute,
                    "Also write a file that may be given away, packed where its name ends in .gz: no names, paths, serial "
                    "numbers or images");
    sub->add_option("--price", options->prices, "NAME=PRICE, such as \"H200=31000 EUR\": what devices of that name cost")
        ->allow_extra_args(false);
    sub->callback([options, &command] {
        command.origin = options->files.size() == 1 ? options->files.front() : std::string();
        command.run = [options] { return report(*options); };
    });
}

}  // namespace parallax::cli
