// Ranks that are threads of this process, for several devices of one machine.
#pragma once

#include "core/communicator.hpp"

#include <functional>

namespace parallax::engine::distributed {

/// Runs work(rank's end) in `ranks` threads and waits for them. Whatever one of them throws ends the others, and is thrown
/// here.
void run_in_threads(int ranks, const std::function<void(Communicator&)>& work);

}  // namespace parallax::engine::distributed
