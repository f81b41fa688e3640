#include "distributed/part.hpp"

#include "core/integers.hpp"

#include <algorithm>

namespace parallax::engine::distributed {

Range share_of(std::int64_t slices, int ranks, int rank, std::int64_t unit) {
    const std::int64_t units = divided_up(slices, unit);
    return {std::min(units * rank / ranks * unit, slices), std::min(units * (rank + 1) / ranks * unit, slices)};
}

}  // namespace parallax::engine::distributed
