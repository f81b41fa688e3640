#include "program/left_files.hpp"

#include "support/platform.hpp"

#include <algorithm>
#include <array>

namespace parallax::host {
namespace {

constexpr std::size_t hash_digits = 32;

bool is_hash(std::string_view text) {
    return text.size() == hash_digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The name of an entry: a hash, some with what it is of before it, and a launch with the kernel and its size behind it.
bool is_entry(std::string_view name) {
    constexpr std::array<std::string_view, 4> kinds{"tried-", "driver-", "capabilities-", "selftest-"};
    if (is_hash(name)) return true;
    if (name.starts_with("launch-")) {
        const std::string_view rest = name.substr(7);
        return rest.size() > hash_digits + 1 && is_hash(rest.substr(0, hash_digits)) && rest[hash_digits] == '-' &&
               rest.find('.') == std::string_view::npos;
    }
    return std::any_of(kinds.begin(), kinds.end(), [&](std::string_view kind) {
        return name.starts_with(kind) && is_hash(name.substr(kind.size()));
    });
}

}  // namespace

Left left_by_name(std::string_view name) noexcept {
    constexpr std::string_view lock = ".lock", temporary = ".tmp-";
    if (name.ends_with(lock)) return is_entry(name.substr(0, name.size() - lock.size())) ? Left::lock : Left::nothing;
    const std::size_t at = name.find(temporary);
    if (at == std::string_view::npos) return Left::nothing;
    const std::string_view entry = name.substr(0, at), suffix = name.substr(at + temporary.size());
    const bool unique = platform::is_unique_suffix(suffix);
    return unique && (entry == "probe" || is_entry(entry)) ? Left::temporary : Left::nothing;
}

}  // namespace parallax::host
