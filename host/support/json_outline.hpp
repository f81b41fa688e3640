// Documents that anybody may have written, looked at before their values are made: values are copied and compared by functions that
// call themselves, so that a megabyte of brackets would take the stack, and each takes memory.
//
// This is done in a pass of its own. A callback of nlohmann's parser would see as much, but with one the parser goes through a whole
// list at the end of each object in it: 300 KB of {} took 14 s.
#pragma once

#include "parallax/host/json.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace parallax {

struct JsonBounds {
    std::size_t levels = 64;                                            ///< of lists and objects in each other
    std::size_t members = std::numeric_limits<std::size_t>::max();      ///< of one object
    std::size_t values = std::numeric_limits<std::size_t>::max();       ///< of all
    bool keys_once = false;                                             ///< in an object
};

enum class JsonExcess { levels, members, values, key_twice };

struct JsonFault {
    JsonExcess excess{};
    std::string key;   ///< that stands there twice
};

/// The first that is beyond the bounds; nothing too where the text is no JSON, which whoever parses it is told.
std::optional<JsonFault> fault_of(std::string_view text, const JsonBounds&);

/// Nothing where a text is no JSON, or is nested deeper than any of our files.
std::optional<Json> parse_shallow(std::string_view text);

}  // namespace parallax
