// Small string helpers of the runtime. ASCII only: driver names and JSON keys are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parallax::host {

std::string lower(std::string_view);
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
