// Integers of sizes and launches.
#pragma once

#include <cstdint>

namespace parallax::engine {

/// a / b rounded up, for a >= 0 and b > 0.
constexpr std::int64_t divided_up(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }
/// A size as kernels take it.
constexpr std::uint64_t u64(std::int64_t v) noexcept { return static_cast<std::uint64_t>(v); }

/// A size or an index as kernels take it: what plans make is below 2^32.
constexpr std::uint32_t u32(std::int64_t value) noexcept { return static_cast<std::uint32_t>(value); }

}  // namespace parallax::engine
