// What only the data can give cause to tell the user. A plan leaves it as a record of the name `observed`, which is no port:
//
//   {"flags": 5, "say": [{"where": 1, "unless": 2, "text": "..."}, {"where": 4, "unless": 0, "text": "..."}]}
//
// flags: what was found, a bit each. Of tiles they are put together by "or" before anything is said: what is true of a part may
// not be true of the whole.
#pragma once

#include "parallax/host/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::engine {

inline constexpr const char* observed = "observed";

/// Said where any flag of `where` was found and none of `unless`.
struct Saying {
    std::uint32_t where, unless;
    std::string text;
};
Json observation(std::uint32_t flags, const std::vector<Saying>&);

/// Takes the observation out of the records of an execution; null: there is none.
Json take_observation(Json& records);
/// Adds that of another part.
void join_observation(Json& all, const Json& part);
/// What there is to say.
std::vector<std::string> in_words(const Json& observation);

}  // namespace parallax::engine
