// How many operations a second a device reaches, by the type of its numbers.
#pragma once

#include "parallax/host/context.hpp"

namespace parallax::engine::compare {

enum class Arithmetic { f32, f64, i32 };
/// A multiply and an add count as two. 0 where the device has no such numbers.
double peak_of(host::Context&, host::Queue&, Arithmetic, int count);

}  // namespace parallax::engine::compare
