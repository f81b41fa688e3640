// Names of cache entries: a hash over everything that a compiled program depends on.
#pragma once

#include "parallax/host/device.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace parallax::host {

/// 32 hex digits of xxh3-128 over the parts, each with its length, so that "ab","c" differs from "a","bc".
std::string hash_parts(std::span<const std::string_view> parts);
inline std::string hash_parts(std::initializer_list<std::string_view> parts) {
    return hash_parts(std::span(parts.begin(), parts.size()));
}

/// Key of a program: source, options (defines and compiler flags), the device with its driver, and this engine's version.
std::string program_key(std::string_view source, std::string_view options, const DeviceInfo&);

}  // namespace parallax::host
