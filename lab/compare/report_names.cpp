#include "compare/report_names.hpp"

#include <fmt/format.h>

#include "compare/compare.hpp"
#include "io/io.hpp"
#include "io/transaction.hpp"
#include "report/report.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

void check_name(const fs::path& folder, const fs::path& name, bool replace, bool resume) {
    const fs::path file = folder / name;
    std::error_code error;
    if (!replace && fs::exists(fs::symlink_status(file, error))) {
        if (resume && name == "report.json")
            throw ConfigError("--resume", fmt::format("the report {}, of a study that has come to its end", to_utf8(file)),
                              "a folder with an interrupted one", "--overwrite measures it again");
        throw ConfigError("--out", fmt::format("the existing {} {}", name.has_parent_path() ? "log" : "report", to_utf8(file)),
                          "a folder without one", "use --overwrite to replace it, or another --out");
    }
    io::check_target(file, true);
}

void finish_earlier(const fs::path& folder) {
    io::look_again();
    io::recover(folder);
}

fs::path make_report_folder(const std::string& out, bool overwrite, bool resume) {
    if (out.empty()) throw ConfigError("--out", "nothing", "a folder for the report");
    const fs::path folder = fs::absolute(path_from(out));
    writable_ancestor(folder / "report.json", "--out");
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw ConfigError("--out", fmt::format("{}, which cannot be made: {}", out, error.message()),
                          "a folder that can be written");
    finish_earlier(folder);
    if (fs::exists(folder / "journal.jsonl", error)) return folder;   // a study's own may lie there: run() looks
    for (const fs::path& name : report_names()) check_name(folder, name, overwrite, resume);
    return folder;
}

}   // namespace parallax::engine::compare
