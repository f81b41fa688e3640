// What reads reach of memory that stays in a cache: the same vectors, again and again.
//
//   GPUs:        group 0 reads [0..255] [256..511] ... to the end and from the beginning, group 1 begins a group's width further
//   processors:  a work-item goes through all of it by itself, 256 bytes a round
//
// vectors: a power of two. out: a sum a work-item, so that nothing can be left out.
#include "prelude/prelude.clh"

#ifndef LANES   // 1, or 16 for processors (OpenCL only)
#define LANES 1
#endif

#if LANES == 16
KERNEL void read_again(GLOBAL const float16* in, GLOBAL float16* out, uint vectors, uint rounds) {
    uint at = 0;
    float16 a = (float16)0.0f, b = a, c = a, d = a;
    for (uint r = 0; r < rounds; ++r) {
        a += in[at];
        b += in[at + 1];
        c += in[at + 2];
        d += in[at + 3];
        at = (at + 4) & (vectors - 1);
    }
    out[get_global_id(0)] = (a + b) + (c + d);
}
#else
KERNEL void read_again(GLOBAL const float4* in, GLOBAL float* out, uint vectors, uint rounds) {
    const uint width = (uint)get_local_size(0);
    uint at = ((uint)get_group_id(0) * width + (uint)get_local_id(0)) & (vectors - 1);
    float sum = 0.0f;
    for (uint r = 0; r < rounds; ++r) {
        const float4 v = in[at];
        sum += (v.x + v.y) + (v.z + v.w);
        at = (at + width) & (vectors - 1);
    }
    out[get_global_id(0)] = sum;
}
#endif
