// Messages for people, on stderr: errors as one block, a progress bar. Data goes to stdout elsewhere.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "parallax/host/json.hpp"
#include "support/text.hpp"

namespace parallax::cli {

/// To stderr as it is. Where nobody reads it, it is lost, and the work goes on.
void put(const std::string& message);

/// A message on stderr. What a terminal would obey is escaped: names and words of files are in many of them.
template <class... T>
void tell(fmt::format_string<T...> text, T&&... values) {
    put(host::printable(fmt::format(text, std::forward<T>(values)...)));
}

/// Lines for people on stdout, likewise.
template <class... T>
void say(fmt::format_string<T...> text, T&&... values) {
    fmt::print("{}", host::printable(fmt::format(text, std::forward<T>(values)...)));
}

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
