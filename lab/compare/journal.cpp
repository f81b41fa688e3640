#include "compare/journal.hpp"

#include "job/paths.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

namespace parallax::engine::compare {

namespace fs = std::filesystem;

Journal::Journal(fs::path path, const Json& header, bool resume, bool overwrite) : path_(std::move(path)) {
    const std::string name = to_utf8(path_);
    std::uintmax_t whole = 0;   // bytes of complete lines
    if (fs::exists(path_) && !overwrite) {
        std::ifstream file(path_, std::ios::binary);
        for (std::string line; std::getline(file, line) && !file.eof();) {
            Json entry = Json::parse(line, nullptr, false);
            if (entry.is_discarded()) break;
            whole += line.size() + 1;
            earlier_.push_back(std::move(entry));
        }
        if (!earlier_.empty() && !resume) {
            throw ConfigError("--out", fmt::format("an interrupted study in {}", name), "a folder without one",
                              "--resume to go on with it, --overwrite to begin anew");
        }
        if (!earlier_.empty() && earlier_.front() != header) {
            throw ConfigError("--resume", fmt::format("another study, other devices or another engine in {}", name),
                              "the study that was interrupted", "--overwrite to begin anew, or another --out");
        }
    }
    const bool fresh = earlier_.empty();
    std::error_code error;
    if (!fresh) fs::resize_file(path_, whole, error);
    file_.open(path_, std::ios::binary | (fresh ? std::ios::trunc : std::ios::app));
    if (!file_ || error) throw IoError(name, "cannot be written");
    if (fresh) append(header);
    else earlier_.erase(earlier_.begin());
}

void Journal::append(const Json& entry) {
    file_ << entry.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    file_.flush();
    if (!file_) throw IoError(to_utf8(path_), "cannot be written", "is the disk full?");
}

void Journal::remove() {
    file_.close();
    std::error_code ignored;
    fs::remove(path_, ignored);
}

}  // namespace parallax::engine::compare
