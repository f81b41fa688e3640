#include "io/fits_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "io/axis_names.hpp"
#include "io/decimal.hpp"
#include "io/units.hpp"

namespace parallax::io::fits {
namespace {

/// Axes of one index may follow those that are read, and are turned with them.
constexpr std::size_t most_axes = 8;

/// What FITS calls its linear matrix (4.0, 8.1): along the axes of the space (rows), how far the next element of each axis of the
/// array (columns) lies. Both count from 0; 0 where nothing is said.
struct Matrix {
    std::array<std::array<double, most_axes>, most_axes> of{};
    std::size_t axes = 0;
    bool twice = false;   ///< said in both ways, of which FITS allows one
};

/// CDi_j, beside which in its row CDELTi says nothing; else CDELTi times PCi_j, which is 1 for i = j and else 0 where it is not there.
Matrix matrix_of(const Source& source, const Unit& unit) {
    Matrix m;
    m.axes = std::min(unit.sizes.size(), most_axes);
    const auto key = [](const char* name, std::size_t i, std::size_t j) { return fmt::format("{}{}_{}", name, i + 1, j + 1); };
    std::array<bool, most_axes> cd{}, turned{};   // rows that have CD, and PC
    for (std::size_t i = 0; i < m.axes; ++i)
        for (std::size_t j = 0; j < m.axes; ++j) {
            cd[i] = cd[i] || number_card(source, unit, key("CD", i, j), 0) != 0;
            turned[i] = turned[i] || !unit.card(key("PC", i, j)).empty();
        }
    const auto any = [](const auto& rows) { return std::find(rows.begin(), rows.end(), true) != rows.end(); };
    m.twice = any(cd) && any(turned);
    for (std::size_t i = 0; i < m.axes; ++i) {
        const double step = cd[i] ? 0 : number_card(source, unit, fmt::format("CDELT{}", i + 1), turned[i] ? 1 : 0);
        for (std::size_t j = 0; j < m.axes; ++j)
            m.of[i][j] = cd[i] ? number_card(source, unit, key("CD", i, j), 0)
                            : scaled(step, number_card(source, unit, key("PC", i, j), i == j ? 1 : 0));
    }
    return m;
}

std::string_view card_of_kind(const Unit& unit, std::size_t axis) { return unit.card(fmt::format("CTYPE{}", axis + 1)); }

/// What kind of axis one is, counting from 0, in small letters; "WAVE-F2W" is one of WAVE, by a grating.
std::string kind_of(const Unit& unit, std::size_t axis) {
    const std::string_view kind = card_of_kind(unit, axis);
    return in_small_letters(kind.substr(0, kind.find('-')));
}

template <std::size_t n>
bool is_among(const std::string& kind, const std::string_view (&kinds)[n]) {
    return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

/// The kind of an axis of the space where it is one of wavelengths, speeds and the like (FITS 4.0, 8.4), which are no depth whatever
/// their unit.
std::string_view spectral_kind(const Unit& unit, std::size_t axis) {
    constexpr std::string_view kinds[] = {"wave", "awav", "freq", "ener", "wavn", "vrad", "vopt",
                                          "zopt", "velo", "beta", "lambda", "wavelength"};
    return is_among(kind_of(unit, axis), kinds) ? card_of_kind(unit, axis) : std::string_view();
}

/// By its kind (FITS 4.0, 9.2.1), else by its unit.
bool is_time(const Unit& unit, std::size_t axis) {
    constexpr std::string_view kinds[] = {"t",  "time", "tai", "tt",  "tdt", "et",  "iat", "ut1",
                                          "utc", "gmt",  "tdb", "tcg", "tcb", "gps", "local"};
    const std::string kind = kind_of(unit, axis);
    const std::string_view name = unit.card(fmt::format("CUNIT{}", axis + 1));
    return is_among(kind, kinds) || (kind.empty() && !name.empty() && seconds_of(name) > 0);
}

/// Whether a kind says another thing than the letter. Of x and y those in the sky say nothing else, nor do names that are not known.
bool says_otherwise(const Unit& unit, std::size_t axis, char letter) {
    constexpr std::string_view nothing[] = {"", "linear", "pixel"};
    const std::string kind = kind_of(unit, axis);
    if (is_among(kind, nothing)) return false;
    const char meant = is_time(unit, axis) ? 't' : axis_named(kind);
    if (meant != '?') return meant != letter;
    return axis > 1 || kind == "stokes" || !spectral_kind(unit, axis).empty();
}

/// Of an axis of the space: ours, and how many of ours one of it is; empty where it is none of lengths.
std::pair<std::string, double> length_along(const Unit& unit, std::size_t axis) {
    if (!spectral_kind(unit, axis).empty()) return {};
    return unit_from(unit.card(fmt::format("CUNIT{}", axis + 1)));
}

/// Of an axis of the array, along which axes of the space it goes.
std::vector<std::size_t> rows_of(const Matrix& m, std::size_t column) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < m.axes; ++i)
        if (m.of[i][column] != 0) rows.push_back(i);
    return rows;
}

/// An axis of the array that goes along lengths alone.
struct Length {
    char axis = ' ';
    std::string unit;
    std::vector<std::pair<std::size_t, double>> parts;   ///< by the axis of the space, in that unit

    double size() const {
        double squares = 0;
        for (const auto& [row, part] : parts) squares += part * part;
        return parts.size() == 1 ? std::abs(parts[0].second) : as_decimal(std::sqrt(squares));
    }
};

/// Nothing where it goes nowhere, or along something else.
std::optional<Length> length_of(const Unit& unit, const Matrix& m, std::size_t column, char axis) {
    Length length{axis, {}, {}};
    for (const std::size_t row : rows_of(m, column)) {
        const auto [ours, factor] = length_along(unit, row);
        if (ours.empty()) return std::nullopt;
        if (length.unit.empty()) length.unit = ours;
        length.parts.emplace_back(row, converted(scaled(m.of[row][column], factor), ours, length.unit));
    }
    return length.parts.empty() ? std::nullopt : std::optional(length);
}

/// Whether one stands on the other, by a thousandth: pixels that are no boxes have more than distances.
bool are_square(const Length& a, const Length& b) {
    double along = 0;
    for (const auto& [row, part] : a.parts)
        for (const auto& [other, more] : b.parts)
            if (row == other) along += part / a.size() * (more / b.size());
    return std::abs(along) <= 1e-3;
}

/// Along t the matrix may say nothing but that.
double seconds_along(const Unit& unit, const Matrix& m, std::size_t axis) {
    const std::string_view name = unit.card(fmt::format("CUNIT{}", axis + 1));
    const std::vector<std::size_t> rows = rows_of(m, axis);
    return name.empty() || rows != std::vector{axis} ? 0 : scaled(std::abs(m.of[axis][axis]), seconds_of(name));
}

void leave_out(FileInfo& file, const char* why) {
    file.warnings.push_back({fmt::format("{}: distances are left out", why), Concern::spacing});
}

}   // namespace

std::string name_axes(const Unit& unit, std::size_t count, std::vector<Warning>& warnings) {
    std::string letters(count, '?'), names, taken;
    for (std::size_t i = 2; i < count; ++i)
        if (is_time(unit, i) && letters.find('t') == letters.npos) letters[i] = 't';
    for (char& letter : letters)
        if (letter == '?') letter = "xyzt"[std::string_view("xyzt").find_first_not_of(letters)];
    for (std::size_t i = 0; i < count; ++i) {
        if (!says_otherwise(unit, i, letters[i])) continue;
        const char* const comma = names.empty() ? "" : ", ";
        names += fmt::format("{}CTYPE{} \"{}\"", comma, i + 1, shortened(card_of_kind(unit, i)));
        taken += fmt::format("{}{}", comma, letters[i]);
    }
    if (!names.empty()) warnings.push_back(told_of_names(names, taken));
    return letters;
}

void describe_space(const Source& source, const Unit& unit, FileInfo& file) {
    const Matrix m = matrix_of(source, unit);
    // The third axis of others is one of wavelengths.
    const bool in_lengths = !length_along(unit, 0).first.empty() || (m.axes > 1 && !length_along(unit, 1).first.empty());
    if (m.twice) {
        if (in_lengths) leave_out(file, "its header has PCi_j beside CDi_j, of which FITS allows one");
        return;
    }
    std::vector<Length> lengths;
    std::vector<std::pair<char, std::string_view>> without;   // and of which kind they are, where they are no lengths at all
    const std::vector<Axis> axes = file.desc.axes;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const char axis = axes[axes.size() - 1 - i].name;
        if (axis == 't') {
            if (const double seconds = seconds_along(unit, m, i); seconds > 0) file.desc = file.desc.with_spacing('t', seconds);
        } else if (auto length = length_of(unit, m, i, axis); length && in_lengths) {
            lengths.push_back(std::move(*length));
        } else {
            const std::vector<std::size_t> rows = rows_of(m, i);
            without.emplace_back(axis, rows.size() == 1 ? spectral_kind(unit, rows[0]) : std::string_view());
        }
    }
    for (std::size_t i = 0; i < lengths.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!are_square(lengths[i], lengths[j]))
                return leave_out(file, "its pixels are no boxes by its header (CDi_j, PCi_j), but askew");
    for (const Length& length : lengths) {
        if (file.desc.unit.empty()) file.desc = file.desc.with_unit(length.unit);
        file.desc = file.desc.with_spacing(length.axis, converted(length.size(), length.unit, file.desc.unit));
    }
    if (file.desc.unit.empty()) return;
    for (const auto& [axis, kind] : without) {
        if (kind.empty()) file.warnings.push_back(without_spacing("its header", axis, file.desc.unit));
        else
            file.warnings.push_back({fmt::format("its axis {} is one of {} (CTYPE), and not of lengths: it is taken for 1 {}", axis,
                                                 kind, file.desc.unit),
                                     axis == 'z' ? Concern::slices : Concern::other});
    }
}

}   // namespace parallax::io::fits
