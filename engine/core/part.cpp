#include "core/part.hpp"

#include "core/integers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::distributed {

Slices share_of(std::int64_t slices, int ranks, int rank, std::int64_t unit) {
    const std::int64_t units = divided_up(slices, unit);
    return {std::min(units * rank / ranks * unit, slices), std::min(units * (rank + 1) / ranks * unit, slices)};
}

std::string in_words(const char* slices, Slices range) {
    return range.count() == 0 ? std::string("nothing") : fmt::format("{} {} to {}", slices, range.first, range.end - 1);
}

}  // namespace parallax::engine::distributed
