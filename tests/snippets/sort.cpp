// What docs/sort.md shows of the engine's inside.
#include "core/session.hpp"

#include <cstdint>
#include <memory>

#include "sort/count.inc"
static_assert(snippets == 1, "a block of docs/sort.md that no function here has");

// A block's first line is its #include, which extract.cmake leaves to us.
#include "algorithms/sort/sort.hpp"

namespace parallax::engine {

[[maybe_unused]] static void sorting(PlanBuilder& builder, Execution& x, std::uint64_t n, const host::Buffer& keys,
                                     const host::Buffer& sorted) {
    std::unique_ptr<sort::Sorter> sorter_;
#include "sort/1.inc"
}

}  // namespace parallax::engine
