// How much of a device's memory one plan takes for itself.
#pragma once

#include <cstdint>

namespace parallax::engine {

/// What a plan may take of a device's memory for tables, batches and slabs: a sixteenth. Other plans and the caller's arrays want
/// some, too.
constexpr std::uint64_t small_share(std::uint64_t memory) noexcept { return memory / 16; }

}  // namespace parallax::engine
