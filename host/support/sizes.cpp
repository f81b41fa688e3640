#include "support/sizes.hpp"

#include "support/text.hpp"

#include <charconv>
#include <map>
#include <system_error>

namespace parallax::host {

std::optional<double> bytes_from(std::string_view text) {
    static const auto& factors =
        *new std::map<std::string_view, double>{{"B", 1},         {"kB", 1e3},         {"MB", 1e6},
                                                {"GB", 1e9},      {"TB", 1e12},        {"KiB", 1024},
                                                {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776.0}};
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    double number = 0;
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || end[-1] == '.') return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    const auto factor = factors.find(text);
    return factor == factors.end() ? std::nullopt : std::optional<double>(number * factor->second);
}

}  // namespace parallax::host
