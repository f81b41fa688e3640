#include "report/unread.hpp"

#include "job/files_of_run.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

namespace parallax::engine::compare {

namespace fs = std::filesystem;

void check_unread(const fs::path& folder, FilesOfRun& read, const std::string& called) {
    for (const fs::path& name : report_names()) {
        const auto found = read.at(folder / name);
        if (found && (called.empty() || found->what != called))
            throw ConfigError("--out", fmt::format("{}, {}", to_utf8(folder / name), found->in_words()), "a folder without it",
                              "choose another --out");
    }
}

}   // namespace parallax::engine::compare
