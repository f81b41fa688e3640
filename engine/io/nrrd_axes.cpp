#include "io/nrrd_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "io/decimal.hpp"
#include "io/units.hpp"

namespace parallax::io::nrrd {
namespace {

bool is_space(std::string_view kind) { return kind == "space" || kind == "domain"; }

/// Of labels that are our names, each once, as Parallax writes them; none of others. Parts of complex numbers have no name.
std::optional<std::vector<char>> names_by_labels(const std::vector<std::string>& labels, bool pairs, std::size_t count) {
    if (labels.size() != count) return std::nullopt;
    std::vector<char> names(pairs ? 1 : 0, '\0');
    for (std::size_t i = names.size(); i < count; ++i) {
        const char name = labels[i].size() == 1 ? labels[i].front() : '?';
        if (std::string_view("xyztcn").find(name) == std::string_view::npos) return std::nullopt;
        if (std::count(names.begin(), names.end(), name) > 0) return std::nullopt;
        names.push_back(name);
    }
    return names;
}

}   // namespace

std::vector<char> name_axes(const Source& source, const Header& header, std::size_t count,
                            const std::vector<std::string>& directions, bool pairs) {
    const std::vector<std::string_view> kinds = words_of(field(header, "kinds"));
    if (!kinds.empty() && kinds.size() != count)
        fail(source, fmt::format("has {} kinds for {} axes in its NRRD header", kinds.size(), count), again);
    if (const auto named = names_by_labels(quoted(field(header, "labels")), pairs, count)) return *named;
    std::string_view free = "xyzt";
    std::vector<char> names(count, 'n');
    if (pairs) names[0] = '\0';
    for (std::size_t i = pairs ? 1 : 0; i < count; ++i) {
        const std::string kind = kinds.empty() ? std::string() : in_lower_case(kinds[i]);
        const bool undirected = !directions.empty() && directions[i] == "none";
        if (kind == "time") {
            names[i] = 't';
        } else if ((kind.empty() || kind == "???" || kind == "none") ? !undirected : is_space(kind)) {
            if (free.empty()) continue;
            names[i] = free.front();
            free.remove_prefix(1);
        } else if (std::count(names.begin(), names.end(), 'c') == 0) {
            names[i] = 'c';
        }
    }
    for (const char name : {'t', 'n'}) {
        if (std::count(names.begin(), names.end(), name) > 1)
            fail(source,
                 fmt::format("has {} axes of which Parallax knows no more than {}", count, name == 't' ? "one time" : "one"),
                 "write it with fewer axes");
    }
    return names;
}

Units units_of(const Header& header, const std::vector<char>& names, std::vector<Warning>& warnings) {
    const std::vector<std::string> of_space = quoted(field(header, "spaceunits"));
    std::vector<std::string> of_axes = quoted(field(header, "units"));
    if (of_axes.size() != names.size()) of_axes.assign(names.size(), {});
    Units units;
    if (!of_space.empty()) units.said = of_space.front();
    std::string time = of_space.size() > 3 ? of_space[3] : std::string();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == 'x' && units.said.empty()) units.said = of_axes[i];
        if (names[i] == 't' && !of_axes[i].empty()) time = of_axes[i];
    }
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
