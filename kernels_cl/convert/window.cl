// The two places of ranks.cl -> the window of convert.cl: low, what a step of the image is in the result, high.
#include "prelude/prelude.clh"
#include "common/quotient.clh"
#include "elementwise/keys.clh"

// top: what high becomes.
KERNEL void window_of_ranks(GLOBAL const uint* RESTRICT state, GLOBAL float* RESTRICT window, uint top) {
    if (get_global_id(0) != 0) return;
    float ends[2] = {0.0f, 0.0f};
    if (state[10] != 0)
        for (uint i = 0; i < 2; ++i) {
            const float below = number_of(state[2 * i]), above = number_of(state[2 * i + 1]);
            ends[i] = below + (float)state[8 + i] * 0x1.0p-32f * (above - below);
        }
    window[0] = ends[0];
    window[1] = ends[1] > ends[0] ? quotient_real(top, ends[1] - ends[0]) : 0.0f;
    window[2] = ends[1];
}
