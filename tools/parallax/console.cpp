#include "console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <system_error>

#include "parallax/host/error.hpp"
#include "terminal.hpp"

namespace parallax::cli {

namespace {

std::string colour(const char* code, const std::string& text) {
    return stderr_is_terminal() ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
}

void line(const char* label, const std::string& text) {
    if (!text.empty()) tell("  {:<9} {}\n", label, text);
}

/// JSON leaves U+007F to U+009F as they are, which some terminals obey. Escaped they are the same JSON.
std::string without_controls(std::string json) {
    std::string escaped;
    std::size_t done = 0;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const auto c = static_cast<unsigned char>(json[i]);
        const auto next = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
        const bool c1 = c == 0xc2 && next >= 0x80 && next < 0xa0;
        if (c != 0x7f && !c1) continue;
        escaped.append(json, done, i - done) += fmt::format("\\u{:04x}", c1 ? next : c);
        i += c1 ? 1 : 0;
        done = i + 1;
    }
    return done == 0 ? std::move(json) : escaped.append(json, done);
}

}  // namespace

void put(const std::string& message) { (void)!std::fwrite(message.data(), 1, message.size(), stderr); }

std::string indented(const std::string& text) {
    std::string shown;
    for (const char c : host::printable(text)) {
        shown += c;
        if (c == '\n') shown += "    ";
    }
    return shown;
}

void name_output(const std::string& path) {
    fmt::print("{}\n", stdout_is_terminal() ? host::printable_line(path) : path);
}

int report_error(const std::exception& error, const std::string& origin) {
    const std::string title = colour("1;31", "error:");
    if (const auto* config = dynamic_cast<const ConfigError*>(&error)) {
        const std::string where = config->pointer.empty() || config->pointer.front() != '/' || origin.empty()
                                      ? (config->pointer.empty() ? origin : config->pointer)
                                      : fmt::format("{} in {}", config->pointer, origin);
        put(fmt::format("{} {}\n", title, where.empty() ? "the request is wrong" : host::printable_line(where)));
        line("found", config->found);
        line("expected", config->expected);
        line("try", config->hint);
        return 2;
    }
    if (dynamic_cast<const std::bad_alloc*>(&error)) {
        put(title + " the system gives no more memory\n");
        line("try", "end other programs, raise the limit (--limit memory, ulimit -v, a container's), or compute a part");
        return 1;
    }
    const bool of_file = dynamic_cast<const IoError*>(&error) != nullptr;   // begins with its name; others have several lines
    put(fmt::format("{} {}\n", title, of_file ? host::printable_line(error.what()) : host::printable(error.what())));
    const bool known = dynamic_cast<const Error*>(&error) || dynamic_cast<const std::system_error*>(&error);
    if (!known) line("note", "this is no error that Parallax knows: please report it");
    return 1;
}

std::string text_of(const Json& json, int indent) {
    return without_controls(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

std::string human_bytes(double bytes) {
    const char* const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    while (bytes >= 1000 && unit < 4) {
        bytes /= 1000;
        ++unit;
    }
    return unit == 0 ? fmt::format("{:.0f} {}", bytes, units[0]) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

ProgressBar::ProgressBar(bool wanted) : active_(wanted && stderr_is_terminal()) {}

void ProgressBar::show(const std::string& stage, double done) {
    if (!active_) return;
    constexpr int cells = 24;
    const int full = std::clamp(static_cast<int>(done * cells + 0.5), 0, cells);
    const std::string text =
        fmt::format("[{:#<{}}{:.<{}}] {:3.0f}%  {}", "", full, "", cells - full, done * 100, host::printable_line(stage));
    put(fmt::format("\r{:<{}}", text, width_));
    std::fflush(stderr);
    width_ = text.size();
}

void ProgressBar::clear() {
    if (width_ > 0) put(fmt::format("\r{:<{}}\r", "", width_));
    width_ = 0;
}

}  // namespace parallax::cli
