// How many fused multiply-adds of f32 a second the device reaches: eight chains a work-item, each waiting for itself only.
// A round is 64 fma a work-item and lane. out: one value a work-item, so that nothing can be left out.
#include "prelude/prelude.clh"

#ifndef LANES   // 1, or 16 for processors, whose compilers do not always join work-items to vectors (OpenCL only)
#define LANES 1
#endif
#if LANES == 16
#define VALUE float16
#else
#define VALUE float
#endif

KERNEL void peak(GLOBAL VALUE* out, float slope, float offset, uint rounds) {
    const ulong64 i = get_global_id(0);
    const VALUE a = (VALUE)slope, b = (VALUE)offset;
    VALUE x0 = (VALUE)((float)(i & 255)), x1 = x0 + a, x2 = x1 + a, x3 = x2 + a, x4 = x3 + a, x5 = x4 + a, x6 = x5 + a,
          x7 = x6 + a;
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
