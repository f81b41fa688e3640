// What reads of local memory reach: each work-item reads 16 bytes at a time, its neighbours the next 16. Eight reads a round.
// out: one sum a work-item, so that nothing can be left out.
#include "prelude/prelude.clh"

#ifndef GROUP   // work-items, a power of two
#define GROUP 256
#endif

KERNEL REQUIRED_GROUP(GROUP, 1, 1) void local_reads(GLOBAL float* out, uint rounds) {
    LOCAL_ARRAY(float4, tile, GROUP);
    const uint i = (uint)get_local_id(0);
    tile[i] = make_float4((float)i, 1.0f, 2.0f, 3.0f);
    BARRIER_LOCAL();
    float sum = 0.0f;
    for (uint r = 0; r < rounds; ++r) {
#pragma unroll
        for (uint k = 0; k < 8; ++k) {
            const float4 v = tile[(i + r * 8 + k) & (GROUP - 1)];
            sum += (v.x + v.y) + (v.z + v.w);
        }
    }
    out[get_global_id(0)] = sum;
}
