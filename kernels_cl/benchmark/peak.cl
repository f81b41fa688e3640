// How many fused multiply-adds a second the device reaches, of f32, f64 or i32: eight chains a work-item, each waiting for itself
// only. A round is 64 of them a work-item and lane. out: one value a work-item, so that nothing can be left out.
#include "prelude/prelude.clh"

#ifndef ELEMENT   // of the numbers: 0 f32, 1 f64, 2 i32 (a product and a sum)
#define ELEMENT 0
#endif
#ifndef LANES     // 1, or 16 for processors, whose compilers do not always join work-items to vectors (OpenCL only)
#define LANES 1
#endif
#if ELEMENT == 1 && defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if ELEMENT == 1 && LANES == 16
#define VALUE double16
#elif ELEMENT == 1
#define VALUE double
#elif ELEMENT == 2 && LANES == 16
#define VALUE int16
#elif ELEMENT == 2
#define VALUE int
#elif LANES == 16
#define VALUE float16
#else
#define VALUE float
#endif
#if ELEMENT == 2
#define STEP(x) ((x) * a + b)
#else
#define STEP(x) fma(x, a, b)
#endif

KERNEL void peak(GLOBAL VALUE* out, float slope, float offset, uint rounds) {
    const ulong64 i = get_global_id(0);
    const VALUE a = (VALUE)slope, b = (VALUE)offset;
    VALUE x0 = (VALUE)((float)(i & 255)), x1 = x0 + a, x2 = x1 + a, x3 = x2 + a, x4 = x3 + a, x5 = x4 + a, x6 = x5 + a,
          x7 = x6 + a;
    for (uint r = 0; r < rounds; ++r) {
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            x0 = STEP(x0);
            x1 = STEP(x1);
            x2 = STEP(x2);
            x3 = STEP(x3);
            x4 = STEP(x4);
            x5 = STEP(x5);
            x6 = STEP(x6);
            x7 = STEP(x7);
        }
    }
    out[i] = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));
}
