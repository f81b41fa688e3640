// Sizes that are drawn: those that people have, and those that programs stumble over.
#pragma once

#include "random.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::tests::sizes {

constexpr std::int64_t longest_side = 8192;

/// 1 to 8192: primes, products of a prime and a small number, sides of cameras' frames, powers of two and their neighbours,
/// products of small primes, anything.
std::int64_t draw_side(Random&);
/// Sizes of axes ("yx", "zyxc", "n"), in their order, of about `most` elements at most. Frames of cameras, thin ones, any.
std::vector<std::int64_t> draw_shape(Random&, const std::string& axes, std::int64_t most);

}  // namespace parallax::tests::sizes
