// Probe: a chain of work that lasts some hundred microseconds, to see whether profiling events measure it, and whether
// a loop comes to its end. One work-item:
// as long on a GPU, and soon done where the device is a simulator.
// Layout: words[0].
#include "prelude/prelude.clh"

KERNEL void probe(GLOBAL uint* words) {
    uint value = words[0];
    for (uint i = 0; i < 100000u; ++i) value = value * 1664525u + 1013904223u;
    words[0] = value;
}
