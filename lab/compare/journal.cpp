#include "compare/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "compare/journal_lock.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view first_words = R"({"parallax_journal":)";

/// Whether a file without a whole line is the beginning of a header, after which nothing had been done.
bool is_torn_header(const std::string& text) {
    return !text.empty() && (text.starts_with(first_words) || first_words.starts_with(text));
}

}   // namespace

Journal::Journal(fs::path path) : path_(std::move(path)), lock_(lock_journal(path_)) {
    read();
    if (!lock_.is_held()) warn_of_no_lock(path_, lock_.trouble());
}

Journal::~Journal() {
    if (!begun_) remove();
}

void Journal::read() {
    std::ifstream file(path_, std::ios::binary);
    for (std::string line; std::getline(file, line);) {
        if (file.eof()) {
            if (header_.is_null() && is_torn_header(line)) return;
            break;
        }
        Json entry = Json::parse(line, nullptr, false);
        if (!entry.is_object()) break;
        if (header_.is_null() && !entry.contains("parallax_journal")) break;
        whole_ += line.size() + 1;
        begun_ = true;
        if (header_.is_null())
            header_ = std::move(entry);
        else
            earlier_.push_back(std::move(entry));
    }
    if (file.bad())   // what is behind has been measured, and would be cut off
        throw IoError(to_utf8(path_), "cannot be read to its end", "see whether the disk is well, then --resume");
    std::error_code error;
    if (header_.is_null() && (fs::file_size(path_, error) > 0 || error)) throw no_journal(path_);
}

Json Journal::said(const std::string& key) const {
    const auto entry = std::find_if(earlier_.rbegin(), earlier_.rend(), [&](const Json& one) { return one.contains(key); });
    return entry == earlier_.rend() ? Json() : (*entry)[key];
}

void Journal::begin(const Json& header) {
    earlier_.clear();
    begun_ = false;
    file_.open(path_, std::ios::binary | std::ios::trunc);
    append(header);
}

void Journal::go_on(const Json& header) {
    if (header_ != header)
        throw ConfigError("--resume", fmt::format("another study, other devices or another engine in {}", to_utf8(path_)),
                          "the study that was interrupted", "--overwrite to begin anew, or another --out");
    std::error_code error;
    fs::resize_file(path_, whole_, error);
    if (error) throw IoError(to_utf8(path_), "cannot be written: " + error.message(), "look at its permissions");
    file_.open(path_, std::ios::binary | std::ios::app);
}

void Journal::append(const Json& entry) {
    file_ << entry.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    file_.flush();
    if (!file_) throw IoError(to_utf8(path_), "cannot be written", "look at its permissions and at the room on the disk");
    begun_ = true;
}

void Journal::remove() noexcept {
    if (removed_) return;   // what has the name by now is of the next study
    file_.close();
    std::error_code ignored;
    fs::remove(path_, ignored);
    removed_ = true;
}

}   // namespace parallax::engine::compare
