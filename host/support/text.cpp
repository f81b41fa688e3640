#include "support/text.hpp"

#include "support/octets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace parallax::host {
std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = lower(c);
    return result;
}

std::optional<LeadingNumber> leading_number(std::string_view text) {
    const char* begin = text.data();
    const char* const end = begin + text.size();
    while (begin != end && is_space(*begin)) ++begin;
    if (begin != end && *begin == '+' && end - begin > 1 && begin[1] != '-') ++begin;
    double number = 0;
    const auto [rest, problem] = std::from_chars(begin, end, number);
    if (problem != std::errc()) return std::nullopt;
    return LeadingNumber{number, static_cast<std::size_t>(rest - text.data())};
}

std::string trim(std::string_view text) {
    const auto is_padding = [](char c) { return c == '\0' || is_space(c); };
    while (!text.empty() && is_padding(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_padding(text.back())) text.remove_suffix(1);
    return std::string(text);
}

bool contains_nocase(std::string_view whole, std::string_view part) {
    return std::search(whole.begin(), whole.end(), part.begin(), part.end(),
                       [](char a, char b) { return lower(a) == lower(b); }) != whole.end() ||
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

/// What a terminal obeys, or turns the rest of a line round by: U+0080 to U+009F, marks of direction, ends of lines and paragraphs.
bool is_obeyed(std::uint32_t character) {
    return (character >= 0x80 && character < 0xa0) || character == 0x200e || character == 0x200f ||
           (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

std::string shown_as(std::string_view text, bool one_line) {
    std::string shown;
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text.front());
        const std::size_t length = length_of_character(text);
        std::uint32_t character = length < 2 ? first : first & (0xffu >> (length + 1));
        for (std::size_t i = 1; i < length; ++i) character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
        const bool control = (first < 0x20 && (first != '\n' || one_line) && first != '\t') || first == 0x7f;
        if (length == 0 || control) shown += fmt::format("\\x{:02x}", first);   // no UTF-8: an old terminal may obey it
        else if (is_obeyed(character) && character < 0x100) shown += fmt::format("\\x{:02x}", character);
        else if (is_obeyed(character)) shown += fmt::format("\\u{:04x}", character);
        else shown += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return shown;
}

}  // namespace

std::string printable(std::string_view text) { return shown_as(text, false); }
std::string printable_line(std::string_view text) { return shown_as(text, true); }

}   // namespace parallax::host
