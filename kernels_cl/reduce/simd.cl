// One pass on a processor: every work-item walks over a chunk of the array in vectors of 16 with CHAINS vectors of
// accumulators, which hide the time of an addition, and leaves 16 accumulators.
// backends: opencl
#define LANES 1
#include "prelude/prelude.clh"
#ifndef ELEMENT      // type of the array's elements
#define ELEMENT float
#endif
#ifndef LANE         // type they are widened to: float, double, long, ulong
#define LANE float
#endif
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define WORD JOINED(LANE, 16)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#include "reduce/accumulator.clh"

#ifndef CHAINS       // vectors of accumulators, a power of two
#define CHAINS 2
#endif
#define FIELDS (sizeof(Accumulator) / sizeof(WORD))

typedef union {
    Accumulator all;
    LANE word[sizeof(Accumulator) / sizeof(LANE)];
} Words;

// A vector with fewer elements: the rest is as if it were not there.
INLINE Accumulator of_some(GLOBAL const ELEMENT* from, uint count) {
    Words sum, one;
    sum.all = empty();
    for (uint i = 0; i < count; ++i) {
        one.all = of((WORD)(LANE)from[i]);
        for (uint f = 0; f < FIELDS; ++f) sum.word[f * 16 + i] = one.word[f * 16];
    }
    return sum.all;
}

// Work-item g has the elements from g * chunk on.
KERNEL void simd(GLOBAL const ELEMENT* array, GLOBAL LANE* partial, ulong64 count, ulong64 chunk) {
    const ulong64 group = get_global_id(0), begin = group * chunk, end = count - begin < chunk ? count : begin + chunk;
    Accumulator own[CHAINS];
#pragma unroll
    for (uint k = 0; k < CHAINS; ++k) clear(&own[k]);
    ulong64 i = begin;
    for (; i + 16 * CHAINS <= end; i += 16 * CHAINS) {
#pragma unroll
        for (uint k = 0; k < CHAINS; ++k) {
            const Accumulator more = of(JOINED(convert_, WORD)(vload16(k, array + i)));
            absorb(&own[k], &more);
        }
    }
    for (; i < end; i += 16) {
        const Accumulator more = of_some(array + i, end - i < 16 ? (uint)(end - i) : 16);
        absorb(&own[0], &more);
    }
#pragma unroll
    for (uint width = CHAINS / 2; width > 0; width /= 2) {
#pragma unroll
        for (uint k = 0; k < width; ++k) absorb(&own[k], &own[k + width]);
    }
    Words words;
    words.all = own[0];
    for (uint lane = 0; lane < 16; ++lane)
        for (uint f = 0; f < FIELDS; ++f) partial[(group * 16 + lane) * FIELDS + f] = words.word[f * 16 + lane];
}
