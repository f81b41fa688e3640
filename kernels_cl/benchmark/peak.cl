// How many fused multiply-adds of f32 a second the device reaches: eight chains a work-item, each waiting for itself only.
// A round is 64 fma a work-item. out: one float a work-item, so that nothing can be left out.
#include "prelude/prelude.clh"

KERNEL void peak(GLOBAL float* out, float a, float b, uint rounds) {
    const ulong64 i = get_global_id(0);
    float x0 = (float)(i & 255), x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3, x4 = x0 + 4, x5 = x0 + 5, x6 = x0 + 6, x7 = x0 + 7;
    for (uint r = 0; r < rounds; ++r) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            x0 = fma(x0, a, b);
            x1 = fma(x1, a, b);
            x2 = fma(x2, a, b);
            x3 = fma(x3, a, b);
            x4 = fma(x4, a, b);
            x5 = fma(x5, a, b);
            x6 = fma(x6, a, b);
            x7 = fma(x7, a, b);
        }
    }
    out[i] = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));
}
