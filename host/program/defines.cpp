#include "parallax/host/error.hpp"
#include "parallax/host/program.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::host {
namespace {

bool is_identifier(const std::string& name) {
    return !name.empty() && !is_digit(name[0]) && std::all_of(name.begin(), name.end(), is_word);
}

// Drivers split the option string each in its own way: what would need quoting is refused.
bool survives_option_string(const std::string& value) {
    return std::none_of(value.begin(), value.end(),
                        [](char c) { return is_space(c) || c == '"' || c == '\'' || c == '\\' || c == '\0'; });
}

}  // namespace

Defines& Defines::add(std::string name, std::string value) {
    if (!is_identifier(name)) throw Error(fmt::format("define \"{}\": a define's name must be a C identifier", name));
    if (!survives_option_string(value))
        throw Error(fmt::format("define {}: the value \"{}\" holds blanks, quotes or backslashes, which drivers read differently",
                                name, value));
    const auto same = std::find_if(list_.begin(), list_.end(), [&](const auto& define) { return define.first == name; });
    if (same != list_.end())
        throw Error(fmt::format("define {}: given twice, as \"{}\" and as \"{}\"", name, same->second, value));
    list_.emplace_back(std::move(name), std::move(value));
    return *this;
}

Defines& Defines::add(std::string name, std::int64_t value) { return add(std::move(name), std::to_string(value)); }

std::string Defines::options() const {
    std::string text;
    for (const auto& [name, value] : list_) text += fmt::format("{}-D{}={}", text.empty() ? "" : " ", name, value);
    return text;
}

}  // namespace parallax::host
