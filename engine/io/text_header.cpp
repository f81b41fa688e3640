#include "io/text_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace parallax::io {
namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

template <class T>
std::optional<T> parse(std::string_view text) noexcept {
    text = trimmed(text);
    if (text.size() > 1 && text.front() == '+') text.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}   // namespace

std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (text = trimmed(text); !text.empty();) {
        const std::size_t end = std::min(text.find_first_of(blanks), text.size());
        words.push_back(text.substr(0, end));
        text = trimmed(text.substr(end));
    }
    return words;
}

std::optional<double> number_of(std::string_view text) noexcept { return parse<double>(text); }

std::optional<std::int64_t> integer_of(std::string_view text) noexcept { return parse<std::int64_t>(text); }

std::optional<std::int64_t> whole_number_of(std::string_view text) noexcept {
    text = trimmed(text);
    const std::size_t point = text.find('.');
    const bool zeros = text.find_first_not_of('0', point + 1) == std::string_view::npos;
    return integer_of(point != std::string_view::npos && zeros ? text.substr(0, point) : text);
}

std::string problem_of_adding(Fields& fields, std::string_view key, std::string_view value, std::string_view header) {
    const auto [field, is_new] = fields.emplace(key, value);
    if (is_new || field->second == value) return {};
    return fmt::format("has the key \"{}\" twice in its {} header, as \"{}\" and as \"{}\"", key, header,
                       shortened(field->second), shortened(value));
}

std::string shortened(std::string_view text) {
    constexpr std::size_t most = 80;
    std::string shown;
    for (const char c : text.substr(0, most)) shown += c == '\0' ? std::string("\\x00") : std::string(1, c);
    return text.size() <= most ? shown : shown + "...";
}

std::string in_lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return lower;
}

}   // namespace parallax::io
