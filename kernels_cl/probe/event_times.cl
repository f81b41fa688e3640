// Probe: work that lasts some hundred microseconds, to see whether the driver's profiling events measure it.
// Layout: words[work-item].
#include "prelude/prelude.clh"

KERNEL void probe(GLOBAL uint* words) {
    uint value = words[get_global_id(0)];
    for (uint i = 0; i < 100000u; ++i) value = value * 1664525u + 1013904223u;
    words[get_global_id(0)] = value;
}
