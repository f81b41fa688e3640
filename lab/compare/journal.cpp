#include "compare/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

#include "compare/journal_lock.hpp"
#include "io/hints.hpp"
#include "io/io.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"
#include "support/warnings.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view first_words = R"({"parallax_journal":)";

/// What stands behind an entry: how much of a journal is as it was written.
constexpr std::string_view before_hash = R"(,"hash":")";
constexpr std::size_t hash_digits = 16;

std::string hash_of(std::string_view text) { return io::hash_text(text).substr(0, hash_digits); }

/// An entry as a line has it; nothing where the line is none, or another than was written.
std::optional<Json> entry_in(const std::string& line) {
    const std::size_t tail = before_hash.size() + hash_digits + 2;
    if (line.size() <= tail) return std::nullopt;
    const std::string text = line.substr(0, line.size() - tail) + '}';
    if (line.substr(line.size() - tail) != std::string(before_hash) + hash_of(text) + "\"}") return std::nullopt;
    Json entry = Json::parse(text, nullptr, false);
    return entry.is_object() ? std::optional(std::move(entry)) : std::nullopt;
}

std::string line_of(const Json& entry) {
    std::string text = entry.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::string hash = hash_of(text);
    text.pop_back();
    return text + std::string(before_hash) + hash + "\"}\n";
}

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
        if (header_.is_null()) {   // held against the study's own
            Json header = Json::parse(line, nullptr, false);
            if (!header.is_object() || !header.contains("parallax_journal")) break;
            header_ = std::move(header);
        } else if (std::optional<Json> entry = entry_in(line)) {
            earlier_.push_back(*std::move(entry));
        } else {   // and what is behind may rest on it
            is_damaged_ = true;
            break;
        }
        whole_ += line.size() + 1;
        begun_ = true;
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
    open(0);
    write(header.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

void Journal::go_on(const Json& header) {
    if (header_ != header)
        throw ConfigError("--resume", fmt::format("another study, other devices or another engine in {}", to_utf8(path_)),
                          "the study that was interrupted", "--overwrite to begin anew, or another --out");
    if (is_damaged_)
        host::warn_once(fmt::format("{} is damaged behind its first {} lines: what stood there is measured again", to_utf8(path_),
                                    earlier_.size() + 1));
    open(whole_);
}

void Journal::open(std::uintmax_t bytes) {
    if (!fs::exists(path_)) io::File::create(path_).close();
    std::error_code error;
    fs::resize_file(path_, bytes, error);
    if (error) throw IoError(to_utf8(path_), "cannot be written: " + error.message(), io::write_hint_for(error));
    file_.emplace(io::File::update(path_));
    file_->seek(bytes);
}

void Journal::append(const Json& entry) { write(line_of(entry)); }

void Journal::write(const std::string& line) {
    file_->write(line.data(), line.size());
    file_->flush();
    begun_ = true;
}

void Journal::remove() noexcept {
    if (removed_) return;   // what has the name by now is of the next study
    file_.reset();
    std::error_code ignored;
    fs::remove(path_, ignored);
    removed_ = true;
}

}   // namespace parallax::engine::compare
