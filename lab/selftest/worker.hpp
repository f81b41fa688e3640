// The process in which variants run: a driver that ends or hangs it spoils one row, not the self-test, and several of them
// compile side by side whatever a driver's locks are.
//
//   {"do": "open", "device": {...}}                             -> {"device": name}
//   {"do": "tasks", "algorithm": NAME, "extent": "cover"}  -> {"tasks": [{"problem": 3, "variant": NAME, "type": "u8"}, ...]}
//   {"do": "row", "problem": 3, "variant": NAME, "extent": "cover"}  -> a row
//
// A request that fails is answered as in workers/worker_protocol.hpp.
#pragma once

#include "parallax/host/json.hpp"

#include <functional>

namespace parallax::engine::selftest {

/// What answers such requests, for those who have no other process. Throws what goes wrong.
std::function<Json(const Json& request)> make_worker();

/// Serves until its input ends. Returns the exit status.
int serve();

}  // namespace parallax::engine::selftest
