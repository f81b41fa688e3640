#include "job/pattern.hpp"

#include "io/known_status.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"
#include "support/warnings.hpp"

#include <fmt/format.h>

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

constexpr char mark = '\0';   // before a * or ? that stands for itself

bool is_wildcard(char c) { return c == '*' || c == '?'; }

/// Where one character of the text is the pattern's next, how many of the pattern it takes; else 0.
std::size_t taken_for(char c, const std::string& pattern, std::size_t at) {
    if (at + 1 < pattern.size() && pattern[at] == mark) return pattern[at + 1] == c ? 2 : 0;
    return at < pattern.size() && (pattern[at] == '?' || pattern[at] == c) ? 1 : 0;
}

}  // namespace

std::string literally(const std::string& name) {
    std::string text;
    for (const char c : name) {
        if (is_wildcard(c)) text += mark;
        text += c;
    }
    return text;
}

std::string plain(std::string pattern) {
    std::erase(pattern, mark);
    return pattern;
}

bool has_wildcard(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_wildcard(text[i])) return true;
        if (text[i] == mark) ++i;
    }
    return false;
}

bool matches(const std::string& pattern, const std::string& text) {
    std::size_t p = 0, t = 0, star = std::string::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (const std::size_t taken = taken_for(text[t], pattern, p)) {
            p += taken;
            ++t;
        } else if (star != std::string::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

void warn_of_closed(const fs::path& folder) {
    host::warn_once(fmt::format("this user may not look into the folder {}: files that a pattern asks for there are left out",
                                to_utf8(folder.empty() ? fs::path(".") : folder)));
}

void tell_of_unseen(const std::error_code& error, const fs::path& what, const fs::path& folder) {
    if (!error || io::leads_nowhere(error)) return;
    if (error == std::errc::permission_denied) return warn_of_closed(folder);
    throw IoError(to_utf8(what.empty() ? fs::path(".") : what), "a pattern cannot look at it: " + error.message(),
                  "files would be left out: see whether the disk or the network drive is well");
}

std::pair<fs::path, std::vector<std::string>> split_pattern(const fs::path& pattern) {
    std::pair<fs::path, std::vector<std::string>> split{pattern.root_path(), {}};
    for (const fs::path& part : pattern.relative_path()) {
        std::string name = to_utf8(part);
        if (split.second.empty() && !has_wildcard(name)) split.first /= path_from(plain(std::move(name)));
        else split.second.push_back(std::move(name));
    }
    return split;
}

void PatternBudget::Look::count() {
    const bool late =
        ++budget_.entries_ % 1024 == 0 && budget_.spent_ + (std::chrono::steady_clock::now() - begun_) > longest;
    if (budget_.entries_ <= most_entries && !late) return;
    throw ConfigError(pointer_,
                      late ? fmt::format("patterns that have been looked for for {} s", longest.count())
                           : fmt::format("patterns that go through more than {} files and folders", most_entries),
                      "fewer patterns, or such as look into fewer folders");
}

void PatternBudget::Look::hold() {
    if (++folders_ > most_folders)
        throw ConfigError(pointer_, fmt::format("a pattern that goes through more than {} folders", most_folders),
                          "one that looks into fewer, where a job is confined");
}

}  // namespace parallax::engine
