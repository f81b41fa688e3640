#include "program/build_log.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace parallax::host {
namespace {

// The line number that starts at `at`, if that is what stands there.
std::optional<int> number_at(std::string_view text, std::size_t at) {
    int value = 0;
    const auto [end, problem] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (problem != std::errc() || value <= 0) return std::nullopt;
    const std::size_t after = static_cast<std::size_t>(end - text.data());
    if (after < text.size() && text[after] != ':' && text[after] != ')' && text[after] != ',' && text[after] != ' ')
        return std::nullopt;
    return value;
}

// Where line `number` of the flattened text stands in its file, by the #line before it.
std::optional<LogPlace> unflatten(std::string_view text, int number) {
    std::optional<LogPlace> place;
    int line = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view content = text.substr(begin, end - begin);
        begin = end + 1;
        if (++line == number) return place;
        constexpr std::string_view directive = "#line ";
        const std::size_t quote = content.find('"');
        if (content.starts_with(directive) && quote != std::string_view::npos && content.ends_with('"') &&
            quote + 1 < content.size()) {
            if (const auto next = number_at(content, directive.size()))
                place = LogPlace{std::string(content.substr(quote + 1, content.size() - quote - 2)), *next};
        } else if (place) {
            ++place->line;
        }
    }
    return std::nullopt;
}

std::optional<LogPlace> place_in(std::string_view line, std::string_view text, std::span<const std::string> files) {
    // The longest name wins: "fft/stage.cl" also ends in "stage.cl".
    std::optional<LogPlace> best;
    for (const std::string& file : files)
        for (std::size_t at = line.find(file); at != std::string_view::npos; at = line.find(file, at + 1)) {
            std::size_t after = at + file.size();
            if (after < line.size() && line[after] == '"') ++after;
            if (after + 1 >= line.size() || (line[after] != ':' && line[after] != '(')) continue;
            if (const auto number = number_at(line, after + 1); number && (!best || file.size() > best->file.size()))
                best = LogPlace{file, *number};
        }
    if (best || files.empty()) return best;
    for (const std::string_view anonymous : {"<kernel>:", "<source>:", "<stdin>:", "input.cl:", "CompileSource:"})
        if (const std::size_t at = line.find(anonymous); at != std::string_view::npos)
            if (const auto number = number_at(line, at + anonymous.size())) {
                if (auto place = unflatten(text, *number)) return place;
                return LogPlace{files.front(), *number};
            }
    return std::nullopt;
}

template <class Accept>
std::optional<LogPlace> first_place(std::string_view log, std::string_view text, std::span<const std::string> files,
                                    Accept&& accept) {
    for (std::size_t begin = 0; begin < log.size();) {
        const std::size_t end = std::min(log.find('\n', begin), log.size());
        const std::string_view line = log.substr(begin, end - begin);
        begin = end + 1;
        if (!accept(line)) continue;
        if (auto place = place_in(line, text, files)) return place;
    }
    return std::nullopt;
}

}  // namespace

LogPlace first_error(std::string_view log, std::string_view text, std::span<const std::string> files) {
    const auto says_error = [](std::string_view line) { return contains_nocase(line, "error"); };
    if (auto place = first_place(log, text, files, says_error)) return *place;
    if (auto place = first_place(log, text, files, [](std::string_view) { return true; })) return *place;
    return {files.empty() ? std::string() : files.front(), 0};
}

}  // namespace parallax::host
