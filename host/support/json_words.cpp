#include "support/json_words.hpp"

#include "support/synonyms.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace parallax {

namespace {

/// Optimal string alignment without case: Levenshtein's distance in which a swap of neighbours counts once. `most` and more are not told
/// apart, so that only what is so near the diagonal is gone through.
std::size_t edit_distance(const std::string& a, const std::string& b, std::size_t most) {
    const auto lower = [](char c) { return host::lower(c); };
    std::vector<std::size_t> before(b.size() + 1, most), previous(b.size() + 1), row(b.size() + 1, most);
    std::iota(previous.begin(), previous.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        const std::size_t first = i > most ? i - most : 1, last = std::min(b.size(), i + most);
        row[first - 1] = first == 1 ? i : most;
        for (std::size_t j = first; j <= last; ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        if (last < b.size()) row[last + 1] = most;
        before.swap(previous);
        previous.swap(row);
    }
    return std::min(previous[b.size()], most);
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t least = std::clamp<std::size_t>((word.size() + 1) / 3, 1, 8) + 1;   // long names that are further apart are no slips
    for (const std::string& candidate : candidates) {
        // So many letters apart they are at least; and it keeps words without end from being gone through.
        const std::size_t apart = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
        if (apart >= least || candidate.size() > 1000) continue;
        const std::size_t distance = edit_distance(word, candidate, least);
        if (distance < least && distance < candidate.size()) {
            least = distance;
            best = candidate;
        }
    }
    return best.empty() ? synonym(word, candidates) : best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
    const std::string near = nearest(word, candidates);
    return near.empty() ? std::string() : fmt::format("did you mean \"{}\"?", near);
}

std::string describe(const Json& value) {
    switch (value.type()) {
        case Json::value_t::null: return "null";
        case Json::value_t::boolean: return value.get<bool>() ? "true" : "false";
        case Json::value_t::object: return value.empty() ? "an empty object" : "an object";
        case Json::value_t::array: return value.empty() ? "an empty list" : fmt::format("a list of {}", value.size());
        case Json::value_t::string: {
            const std::string& text = value.get_ref<const std::string&>();
            return text.size() <= 60 ? fmt::format("the string \"{}\"", text)
                                     : fmt::format("the string \"{}...\"", text.substr(0, 57));
        }
        case Json::value_t::number_integer:
        case Json::value_t::number_unsigned: return "the number " + value.dump();
        case Json::value_t::number_float: return fmt::format("the number {}", value.get<double>());
        default: return "something that is not JSON";
    }
}

std::string pointer_to(const std::string& parent, const std::string& key) {
    std::string pointer = parent + '/';
    for (const char c : key) {
        if (c == '~') pointer += "~0";
        else if (c == '/') pointer += "~1";
        else pointer += c;
    }
    return pointer;
}

std::string pointer_to(const std::string& parent, std::size_t index) { return fmt::format("{}/{}", parent, index); }

bool is_comment(const std::string& key) noexcept { return key.compare(0, 2, "//") == 0; }

std::string list(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " | ")); }

}  // namespace parallax
