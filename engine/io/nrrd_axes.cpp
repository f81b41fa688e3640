#include "io/nrrd_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/axis_names.hpp"
#include "io/decimal.hpp"
#include "io/units.hpp"

namespace parallax::io::nrrd {
namespace {

bool is_space(std::string_view kind) { return kind == "space" || kind == "domain"; }

bool says_nothing(std::string_view kind) { return kind.empty() || kind == "???" || kind == "none"; }

/// Of each axis the letter that its label says, '?' where it says none; parts of complex numbers have none.
std::string letters_by_labels(const std::vector<std::string>& labels, bool pairs, std::size_t count) {
    std::string letters(count, '?');
    for (std::size_t i = pairs ? 1 : 0; i < count && labels.size() == count; ++i) letters[i] = axis_named(labels[i]);
    return letters;
}

}   // namespace

std::vector<char> name_axes(const Source& source, const Header& header, std::size_t count,
                            const std::vector<std::string>& directions, bool pairs, std::vector<Warning>& warnings) {
    const std::vector<std::string_view> kinds = words_of(field(header, "kinds"));
    if (!kinds.empty() && kinds.size() != count)
        fail(source, fmt::format("has {} kinds for {} axes in its NRRD header", kinds.size(), count), again);
    std::vector<std::string> labels = quoted(field(header, "labels"));
    std::string letters = letters_by_labels(labels, pairs, count);
    const bool twice = std::any_of(letters.begin(), letters.end(), [&](char letter) {
        return letter != '?' && std::count(letters.begin(), letters.end(), letter) > 1;
    });
    const bool unfit = twice || (!labels.empty() && labels.size() != count);
    if (unfit) letters.assign(count, '?');
    std::string free = "xyzt", unsaid, taken;
    std::erase_if(free, [&](char letter) { return letters.find(letter) != letters.npos; });
    for (std::size_t i = pairs ? 1 : 0; i < count; ++i) {
        if (letters[i] != '?') continue;
        const std::string kind = kinds.empty() ? std::string() : in_lower_case(kinds[i]);
        const bool undirected = !directions.empty() && directions[i] == "none";
        if (kind == "time") {
            letters[i] = 't';
        } else if (says_nothing(kind) ? !undirected : is_space(kind)) {
            if (free.empty()) continue;
            letters[i] = free.front();
            free.erase(0, 1);
            if (unfit || labels.empty() || labels[i].empty() || !says_nothing(kind) || !directions.empty()) continue;
            unsaid += fmt::format("{}\"{}\"", unsaid.empty() ? "" : ", ", shortened(labels[i]));
            taken += fmt::format("{}{}", taken.empty() ? "" : ", ", letters[i]);
        } else if (letters.find('c') == letters.npos) {
            letters[i] = 'c';
        }
    }
    if (pairs) letters[0] = '\0';
    std::replace(letters.begin(), letters.end(), '?', 'n');
    for (const char letter : {'t', 'n'}) {
        if (std::count(letters.begin(), letters.end(), letter) > 1)
            fail(source,
                 fmt::format("has {} axes of which Parallax knows no more than {}", count, letter == 't' ? "one time" : "one"),
                 "write it with fewer axes");
    }
    if (!unsaid.empty()) warnings.push_back(told_of_order(unsaid, taken));
    if (unfit) warnings.push_back(fmt::format("its labels of axes ({}) {}: its axes are named without them", shortened(field(header, "labels")),
                                              twice ? "name one twice" : fmt::format("are {} for {}", labels.size(), count)));
    return {letters.begin(), letters.end()};
}

Units units_of(const Header& header, const std::vector<char>& names, std::vector<Warning>& warnings) {
    const std::vector<std::string> of_space = quoted(field(header, "spaceunits"));
    std::vector<std::string> of_axes = quoted(field(header, "units"));
    if (of_axes.size() != names.size()) of_axes.assign(names.size(), {});
    Units units;
    if (!of_space.empty()) units.said = of_space.front();
    std::string time = of_space.size() > 3 ? of_space[3] : std::string();
    const auto say = [&](char name, std::string& unit) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name && !of_axes[i].empty()) unit = of_axes[i];
    };
    say('t', time);
    const bool by_space = !units.said.empty();
    for (const char name : {'x', 'y', 'z'})   // a plane need not have all three
        if (units.said.empty()) say(name, units.said);
    std::string silent;
    for (std::size_t i = 0; i < names.size() && !by_space && !units.said.empty(); ++i)
        if (std::string_view("xyz").find(names[i]) != std::string_view::npos && of_axes[i].empty()) silent += names[i];
    if (!silent.empty())
        warnings.push_back(fmt::format("it names a unit for some of its axes and none for {}: {} taken to be in \"{}\" as well",
                                       fmt::join(silent, ", "), silent.size() == 1 ? "this is" : "these are", units.said));
    const auto [ours, factor] = unit_from(units.said);
    if (!units.said.empty() && ours.empty())
        warnings.push_back(fmt::format("its unit of length is \"{}\", which is none that is known: it is left out", units.said));
    units.ours = ours;
    if (!ours.empty()) units.factor = factor;
    const auto ratio = [&](const std::string& own) {
        if (own.empty() || own == units.said) return 1.0;
        const auto [theirs, more] = unit_from(own);
        if (!theirs.empty() && !units.ours.empty())
            return as_decimal(more * millimetres(theirs) / (units.factor * millimetres(units.ours)));
        const std::string warning = fmt::format(
            "its axes are in the units \"{}\" and \"{}\", of which one is none that is known: numbers of the second are taken as "
            "they "
            "stand",
            units.said, own);
        if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
        return 1.0;
    };
    for (std::size_t j = 0; j < std::min<std::size_t>(3, of_space.size()); ++j) units.of_space[j] = ratio(of_space[j]);
    for (std::size_t i = 0; i < names.size(); ++i)
        units.of_axes.push_back(std::string_view("xyz").find(names[i]) == std::string_view::npos ? 1 : ratio(of_axes[i]));
    units.seconds = seconds_of(time);
    units.in_time = !time.empty();
    if (!(units.seconds > 0) && std::count(names.begin(), names.end(), 't') > 0)
        warnings.push_back(fmt::format("its unit of time is \"{}\", which is none that is known: times are left out", time));
    return units;
}

}   // namespace parallax::io::nrrd
