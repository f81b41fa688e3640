// Waiting for a device that may never answer.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace parallax::host {

class Context;

/// Asks `done` until it is true, more seldom the longer it takes: the wait is at most 2% late. After `limit` the context
/// is abandoned. Throws DeviceError for `step` then, and what `done` throws.
void watch(Context&, std::chrono::duration<double> limit, const char* call, std::string_view step,
           const std::function<bool()>& done);

}  // namespace parallax::host
