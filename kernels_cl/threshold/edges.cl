// From the least and the largest element, which ranks.cl found, to the edges of BINS equal parts, as NumPy makes them for f32:
// i * step + low, each operation rounded to f32, the last edge the largest element itself.
#include "prelude/prelude.clh"
#include "elementwise/keys.clh"

#ifndef BINS
#define BINS 256
#endif

KERNEL void edges_of_range(GLOBAL const uint* RESTRICT state, GLOBAL float* RESTRICT edges) {
    const uint i = (uint)get_global_id(0);
    if (i > BINS) return;
    const float low = state[10] != 0 ? number_of(state[0]) : 0.0f, high = state[10] != 0 ? number_of(state[2]) : 0.0f;
    const float step = (high - low) * (1.0f / BINS);   // BINS is a power of two: exact
    edges[i] = i == BINS ? high : (float)i * step + low;
}
