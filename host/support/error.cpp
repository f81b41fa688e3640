#include "parallax/host/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace parallax {
namespace {

// Sentences are joined by ". " whether or not a part brings its own full stop.
std::string sentence(std::string text, const std::string& next) {
    if (next.empty()) return text;
    while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
    return fmt::format("{}. {}", text, next);
}

constexpr std::size_t most_of_sentence = 10000;   // bytes: lists of what may stand there, and of whoever was asked

/// What a user wrote may be of any length; a message has to stay readable. Its end stays: there it says what is wrong with a name.
std::string clipped(const std::string& text, std::size_t most = 1000) {
    constexpr std::size_t head = 200, tail = 100;
    if (text.size() <= most) return text;
    const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };   // a character
    std::size_t end = head, from = text.size() - tail;
    while (end > 0 && inside(end)) --end;
    while (from < text.size() && inside(from)) ++from;
    return fmt::format("{} ... {} ({} bytes in all)", text.substr(0, end), text.substr(from), text.size());
}

std::vector<std::string> clipped(std::vector<std::string> texts) {
    for (std::string& text : texts) text = clipped(text, most_of_sentence);
    return texts;
}

std::string config_message(const std::string& pointer, const std::string& found, const std::string& expected,
                           const std::string& hint) {
    std::string text = pointer.empty() ? std::string() : clipped(pointer) + ": ";
    if (!found.empty()) text += "found " + clipped(found);
    if (!found.empty() && !expected.empty()) text += ", ";
    if (!expected.empty()) text += "expected " + clipped(expected, most_of_sentence);
    return sentence(std::move(text), clipped(hint, most_of_sentence));
}

std::string device_message(const std::string& call, int code, const std::string& code_name, const std::string& step,
                           const std::string& hint) {
    std::string text = step.empty() ? call : clipped(step) + ": " + call;
    if (code != 0 || !code_name.empty())
        text +=
            code_name.empty() ? fmt::format(" failed with code {}", code) : fmt::format(" failed with {} ({})", code_name, code);
    else
        text += " failed";
    return sentence(std::move(text), hint);
}

std::string build_message(const std::string& file, int line, const std::string& options, const std::string& log) {
    std::string text = line > 0 ? fmt::format("{}:{}", file, line) : file;
    text += ": the kernel does not compile";
    if (!options.empty()) text += "\noptions: " + options;
    return text + (log.empty() ? "\nthe driver gave no log" : "\n" + log);
}

}  // namespace

ConfigError::ConfigError(std::string pointer_, std::string found_, std::string expected_, std::string hint_)
    : Error(config_message(pointer_, found_, expected_, hint_)),
      pointer(clipped(pointer_)),
      found(clipped(found_)),
      expected(clipped(expected_, most_of_sentence)),
      hint(clipped(hint_, most_of_sentence)) {}

DeviceError::DeviceError(std::string call_, int code_, std::string code_name_, std::string step_, std::string hint_)
    : Error(device_message(call_, code_, code_name_, step_, hint_)),
      call(std::move(call_)),
      code(code_),
      code_name(std::move(code_name_)),
      step(std::move(step_)),
      hint(std::move(hint_)) {}

bool DeviceError::is_shortage() const noexcept {
    return call == "allocation" || code_name.find("ALLOCATION") != std::string::npos ||
           code_name.find("OUT_OF_MEMORY") != std::string::npos;
}

BuildError::BuildError(std::string file_, int line_, std::string options_, std::string log_)
    : Error(build_message(file_, line_, options_, log_)),
      file(std::move(file_)),
      line(line_),
      options(std::move(options_)),
      log(std::move(log_)) {}

IoError::IoError(std::string path_, std::string problem_, std::string hint_)
    : Error(sentence(fmt::format("{}: {}", clipped(path_), clipped(problem_, most_of_sentence)), clipped(hint_, most_of_sentence))),
      path(std::move(path_)),
      problem(clipped(problem_, most_of_sentence)),
      hint(clipped(hint_, most_of_sentence)) {}

UnsupportedError::UnsupportedError(std::string what_, std::vector<std::string> reasons_)
    : Error(reasons_.empty() ? clipped(what_, most_of_sentence)
                             : fmt::format("{}\n  - {}", clipped(what_, most_of_sentence), fmt::join(clipped(reasons_), "\n  - "))),
      reasons(clipped(std::move(reasons_))) {}

}  // namespace parallax
