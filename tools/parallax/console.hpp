// Messages for people, on stderr: errors as one block, a progress bar. Data goes to stdout elsewhere.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "parallax/host/json.hpp"
#include "support/text.hpp"

namespace parallax::cli {

/// To stderr as it is. Where nobody reads it, it is lost, and the work goes on.
void put(const std::string& message);

/// A text among the values of a message is part of a line, whatever it holds: names and words of files are in many of them.
template <class T>
auto in_a_line(T&& value) {
    if constexpr (std::is_convertible_v<T, std::string_view>) return host::printable_line(value);
    else return std::forward<T>(value);
}

/// What a terminal would obey is escaped; a line feed is only one of the message's own.
template <class... T>
std::string lines_of(fmt::format_string<T...> text, T&&... values) {
    const auto written = [&](auto... shown) { return fmt::vformat(text, fmt::make_format_args(shown...)); };
    return host::printable(written(in_a_line(std::forward<T>(values))...));
}

/// What may have several lines, as reasons one below the other: whatever stands in them, only the first begins a line.
std::string indented(const std::string& text);

/// A message on stderr.
template <class... T>
void tell(fmt::format_string<T...> text, T&&... values) {
    put(lines_of(text, std::forward<T>(values)...));
}

/// Lines for people on stdout, likewise.
template <class... T>
void say(fmt::format_string<T...> text, T&&... values) {
    fmt::print("{}", lines_of(text, std::forward<T>(values)...));
}

/// The path of an output, a line on stdout: as it is for whoever reads it there, for a terminal as messages have it.
void name_output(const std::string& path);

/// Prints an error as one readable block and returns the exit status that belongs to it: 2 for a wrong request, else 1.
/// `origin` is the file that pointers point into; empty: none.
int report_error(const std::exception&, const std::string& origin);

/// Text of a JSON value; characters that are not UTF-8 (from drivers, from file names) are replaced, and what a terminal would
/// obey is escaped.
std::string text_of(const Json&, int indent = 2);

/// "12.3 MB" in powers of ten.
std::string human_bytes(double bytes);

/// A bar on a terminal, nothing elsewhere.
class ProgressBar {
public:
    explicit ProgressBar(bool wanted);
    ~ProgressBar() { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    void show(const std::string& stage, double done);
    void clear();

private:
    bool active_;
    std::size_t width_ = 0;      ///< of what stands on the line
};

}  // namespace parallax::cli
