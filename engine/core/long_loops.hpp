// Drivers that end loops early: see Capabilities::cuts_loops.
#pragma once

#include <cstdint>
#include <string>

namespace parallax::host {
class Context;
}

namespace parallax::engine {

/// Rounds that all loops of a work-item together may take. Asks the device, by a probe: too_many_rounds() does where it must.
std::int64_t most_rounds(host::Context&);
/// Empty, or why a work-item cannot take so many.
std::string too_many_rounds(host::Context&, std::int64_t rounds);
/// Throws UnsupportedError where a work-item cannot take so many.
void require_rounds(host::Context&, std::int64_t rounds);

}  // namespace parallax::engine
