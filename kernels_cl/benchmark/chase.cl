// How long a read takes that must be waited for: one work-item goes from line to line, each telling where the next one is.
#include "prelude/prelude.clh"

KERNEL void chase(GLOBAL const uint* next, GLOBAL uint* out, uint steps) {
    uint at = 0;
    for (uint s = 0; s < steps; ++s) at = next[at];
    out[0] = at;
}
