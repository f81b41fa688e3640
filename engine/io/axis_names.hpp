// Names of axes as programs write them. For the programs that read heavy formats, too: without fmt.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parallax::io {

/// ASCII's letters alone.
inline std::string in_small_letters(std::string_view text) {
    std::string word(text);
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return word;
}

/// Which of our axes a name means, in capitals or not, as programs for microscopes, pictures and maps write them; '?': it says nothing.
inline char axis_named(std::string_view name) {
    constexpr std::pair<std::string_view, char> names[] = {
        {"t", 't'},        {"time", 't'}, {"c", 'c'},   {"channel", 'c'},   {"channels", 'c'}, {"band", 'c'}, {"z", 'z'},
        {"depth", 'z'},    {"lev", 'z'},  {"level", 'z'}, {"altitude", 'z'}, {"slice", 'z'},    {"y", 'y'},    {"row", 'y'},
        {"rows", 'y'},     {"lat", 'y'},  {"latitude", 'y'}, {"x", 'x'},     {"col", 'x'},      {"cols", 'x'}, {"column", 'x'},
        {"columns", 'x'},  {"lon", 'x'},  {"longitude", 'x'}, {"n", 'n'}};
    const std::string word = in_small_letters(name);
    const auto found = std::find_if(std::begin(names), std::end(names), [&](const auto& row) { return row.first == word; });
    return found == std::end(names) ? '?' : found->second;
}

/// What a file says of one of its axes.
struct AxisName {
    std::string name;          ///< empty: it has none
    char letter = '?';         ///< '?': nothing says it
    bool is_length = false;    ///< x, y or z, whatever its name
};

/// Letters of all axes, from the slowest to the fastest.
struct AxisLetters {
    std::string letters;   ///< empty: what the file says is not followed, for two axes have one letter, or none is left
    std::string told{};    ///< a warning of those that go by their order; empty: there are none
};

/// The warning of names that say nothing, each in quotes, and of what they are taken for.
inline std::string told_of_order(std::string_view names, std::string_view taken) {
    return "what it calls its axes (" + std::string(names) + ") says nothing here: they are taken for " + std::string(taken) +
           " by their order";
}

/// Those of which nothing says it go by their order, from the fastest on: each is the first of x, y, z, t, n that no other is.
inline AxisLetters letters_of(const std::vector<AxisName>& axes) {
    AxisLetters all;
    std::string names, taken;
    for (const AxisName& axis : axes) all.letters += axis.letter;
    for (std::size_t i = axes.size(); i-- > 0;) {
        if (all.letters[i] != '?') continue;
        const std::string_view may_be = axes[i].is_length ? "xyz" : "xyztn";
        const std::size_t free = may_be.find_first_not_of(all.letters);
        if (free == may_be.npos) return {};
        all.letters[i] = may_be[free];
        names = "\"" + axes[i].name.substr(0, 40) + "\"" + (names.empty() ? "" : ", ") + names;
        taken = all.letters[i] + (taken.empty() ? "" : ", " + taken);
    }
    for (const char letter : all.letters)
        if (std::count(all.letters.begin(), all.letters.end(), letter) > 1) return {};
    if (!names.empty()) all.told = told_of_order(names, taken);
    return all;
}

/// The warning of names that are not followed, of which each is as the file has it.
inline std::string told_of_names(std::string_view names, std::string_view letters) {
    return "what it says of its axes (" + std::string(names.substr(0, 200)) + ") is not followed: they are taken for " +
           std::string(letters) + " by their order";
}

}   // namespace parallax::io
