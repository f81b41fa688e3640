// What every worker process does: requests come in on standard input, one JSON object a line, and answers go out the same way.
// Where a driver ends or hangs the process, whoever asks goes on without it (compare/device_worker.hpp).
#pragma once

#include "parallax/host/device.hpp"
#include "parallax/host/json.hpp"

#include <functional>
#include <memory>

namespace parallax::engine::compare {

/// Answers until the input ends, and ends the process. What is thrown is answered with {"error": {"kind": ..., "message": ...}};
/// after a DeviceError the process leaves.
int serve_requests(const std::function<Json(const Json&)>& answer_to);

/// The device that a worker is opened for, by what to_json() told of it. Throws UnsupportedError where it is not there.
std::shared_ptr<const host::Device> find_device(const Json& wanted);

}  // namespace parallax::engine::compare
