#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace parallax::host {
namespace {

char lower_char(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), lower_char);
    return result;
}

std::string trim(std::string_view text) {
    const auto is_padding = [](char c) { return c == '\0' || std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && is_padding(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_padding(text.back())) text.remove_suffix(1);
    return std::string(text);
}

bool contains_nocase(std::string_view whole, std::string_view part) {
    return std::search(whole.begin(), whole.end(), part.begin(), part.end(),
                       [](char a, char b) { return lower_char(a) == lower_char(b); }) != whole.end() ||
           part.empty();
}

std::string human_bytes(std::uint64_t bytes) {
    static constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
    if (bytes < 1000) return fmt::format("{} bytes", bytes);
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < std::size(units); ++unit) value /= 1000;
    return fmt::format("{:.3g} {}", value, units[unit]);
}

namespace {

std::string shown_as(std::string_view text, bool one_line) {
    std::string shown;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        const bool c1 = c == 0xc2 && next >= 0x80 && next < 0xa0;   // U+0080 to U+009F, which some terminals obey
        if ((c < 0x20 && (c != '\n' || one_line) && c != '\t') || c == 0x7f) shown += fmt::format("\\x{:02x}", c);
        else if (c1) shown += fmt::format("\\x{:02x}", next), ++i;
        else shown += text[i];
    }
    return shown;
}

}  // namespace

std::string printable(std::string_view text) { return shown_as(text, false); }
std::string printable_line(std::string_view text) { return shown_as(text, true); }

}  // namespace parallax::host
