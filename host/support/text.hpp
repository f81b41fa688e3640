// Small string helpers of the runtime. ASCII only: driver names and JSON keys are. The C library's own follow the locale of the
// host application: there 1.5 may be 1, the small letter of I no i, and a byte of UTF-8 a letter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parallax::host {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Of a name, as programming languages have it.
constexpr bool is_word(char c) noexcept { return is_letter(c) || is_digit(c) || c == '_'; }
constexpr bool is_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string lower(std::string_view);
/// The number with which a text begins, as in "1.5 mm", and how many characters it takes. Nothing where it begins with none.
struct LeadingNumber {
    double number = 0;
    std::size_t used = 0;
};
std::optional<LeadingNumber> leading_number(std::string_view);
/// Without blanks and NULs at either end (drivers pad their names with both).
std::string trim(std::string_view);
/// Whether `part` occurs in `whole`, without regard to case.
bool contains_nocase(std::string_view whole, std::string_view part);
/// For terminals: control characters other than line feeds and tabs as \x1b, marks that turn the direction of writing as \u202e.
std::string printable(std::string_view);
/// The same of what is one line: a name may hold line feeds, and none begins a line of its own.
std::string printable_line(std::string_view);
/// "12.3 GB" in powers of ten.
std::string human_bytes(std::uint64_t);

}  // namespace parallax::host
