// Ranks are processes that were started one by one, on machines that may differ: what they are to do is compared before they
// begin.
#pragma once

#include "core/communicator.hpp"
#include "job/prepare.hpp"

namespace parallax::engine::distributed {

/// Returns where every rank has the same job (but for its comment and its devices), the same inputs, to the last byte, and this
/// program's version. Elsewhere the first rank that differs from rank 0 throws ConfigError with the first difference; the others wait
/// until it gives up.
void agree(const Prepared&, Communicator&);

}  // namespace parallax::engine::distributed
