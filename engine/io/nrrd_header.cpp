#include "io/nrrd_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/stored.hpp"

namespace parallax::io::nrrd {
namespace {

constexpr std::size_t most_header = 1 << 20;
constexpr const char* once = "each key stands there once: remove one of the two lines";

/// Field names without blanks, in lower case: "data file" and "datafile" are the same.
std::string field_name(std::string_view text) {
    std::string name = in_lower_case(trimmed(text));
    std::erase(name, ' ');
    return name;
}

}   // namespace

Header read_lines(const Source& source, File& file) {
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(source.bytes, most_header)), '\0');
    text.resize(file.read_some(text.data(), text.size()));
    Header header;
    bool listing = false, ended = false;
    for (std::size_t at = 0, number = 0; at < text.size(); ++number) {
        const std::size_t end = text.find('\n', at);
        if (end == std::string::npos && text.size() == most_header)
            fail(source, fmt::format("has an NRRD header of more than {} bytes", most_header), again);
        std::string_view line = std::string_view(text).substr(at, end == std::string::npos ? end : end - at);
        at = end == std::string::npos ? text.size() : end + 1;
        header.bytes = at;
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        if (number == 0 || line.starts_with('#')) continue;
        if (listing) {
            if (!trimmed(line).empty()) header.files.emplace_back(trimmed(line));
            continue;
        }
        if (line.empty()) {
            ended = true;
            break;
        }
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos)
            fail(source, fmt::format("has the line \"{}\" in its NRRD header", shortened(line)), again);
        if (line.substr(colon).starts_with(":=")) continue;   // a key and a value of the writer's own
        const std::string name = field_name(line.substr(0, colon));
        const std::string_view value = trimmed(line.substr(colon + 1));
        if (const std::string problem = problem_of_adding(header.fields, name, value, "NRRD"); !problem.empty())
            fail(source, problem, once);
        listing = name == "datafile" && value.starts_with("LIST");
    }
    if (!ended && !header.fields.contains("datafile")) fail(source, "ends inside its NRRD header", again);
    if (const auto data = header.fields.find("datafile"); data != header.fields.end()) {
        header.attached = false;
        if (!listing) {
            const bool pattern = words_of(data->second).size() > 2 && data->second.find('%') != std::string::npos;
            header.files = pattern ? names_by_pattern(source, data->second) : std::vector<std::string>{data->second};
        }
    }
    return header;
}

std::string_view field(const Header& header, std::string_view name) {
    const auto found = header.fields.find(name);
    return found == header.fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view needed(const Source& source, const Header& header, std::string_view name) {
    const std::string_view value = field(header, name);
    if (value.empty()) fail(source, fmt::format("has no field \"{}\" in its NRRD header", name), again);
    return value;
}

std::vector<std::string> quoted(std::string_view text) {
    std::vector<std::string> all;
    for (std::size_t open = text.find('"'); open != std::string_view::npos;) {
        const std::size_t close = text.find('"', open + 1);
        if (close == std::string_view::npos) break;
        all.emplace_back(text.substr(open + 1, close - open - 1));
        open = text.find('"', close + 1);
    }
    return all;
}

std::int64_t whole_number(const Source& source, std::string_view name, std::string_view word) {
    const std::optional<std::int64_t> value = integer_of(word);
    if (!value)
        fail(source,
             fmt::format("has \"{}\" in the field \"{}\" of its NRRD header, where a whole number should be", shortened(word),
                         name),
             again);
    return *value;
}

std::vector<double> numbers(const Source& source, const Header& header, std::string_view name, std::size_t axes) {
    const std::string_view text = field(header, name);
    std::vector<double> all;
    for (const std::string_view word : words_of(text)) {
        const std::optional<double> value = number_of(word);
        if (!value)
            fail(
                source,
                fmt::format("has \"{}\" in the field \"{}\" of its NRRD header, where a number should be", shortened(word), name),
                again);
        all.push_back(*value);
    }
    if (!text.empty() && all.size() != axes)
        fail(source, fmt::format("its NRRD field \"{}\" has {} values for {} axes", name, all.size(), axes), again);
    return all;
}

std::optional<std::vector<double>> vector_from(std::string_view word) {
    std::vector<double> parts;
    if (!word.starts_with('(') || !word.ends_with(')')) return std::nullopt;
    word = word.substr(1, word.size() - 2);
    while (true) {
        const std::size_t comma = std::min(word.find(','), word.size());
        const std::optional<double> part = number_of(word.substr(0, comma));
        if (!part || !std::isfinite(*part)) return std::nullopt;
        parts.push_back(*part);
        if (comma == word.size()) return parts;
        word.remove_prefix(comma + 1);
    }
}

std::vector<std::string> vectors_of(std::string_view text) {
    std::vector<std::string> all;
    std::string now;
    bool inside = false;
    for (const char c : text) {
        inside = c == '(' || (inside && c != ')');
        if (c == ' ' || c == '\t') {
            if (!inside && !now.empty()) all.push_back(std::exchange(now, {}));
            continue;
        }
        now += c;
    }
    if (!now.empty()) all.push_back(now);
    return all;
}

}   // namespace parallax::io::nrrd
