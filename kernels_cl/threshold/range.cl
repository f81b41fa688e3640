// The least and the largest number of an f32 image, NaN and infinities left out, as keys: range[0] and range[1], with
// range[0] > range[1] where there is none. range_begin, then range_find, then their edges: BINS equal parts as NumPy makes them
// for f32, i * step + low, each operation rounded to f32, the last edge the largest element itself.
#include "prelude/prelude.clh"
#include "elementwise/keys.clh"

#ifndef GROUP              // 1: a block for each work-group, for CPUs
#define GROUP 256
#endif
#ifndef BINS               // a power of two
#define BINS 256
#endif
#define LOADS 4            // in flight for each work-item

KERNEL void range_begin(GLOBAL uint* RESTRICT range) {
    const uint i = (uint)get_global_id(0);
    if (i < 2) range[i] = i == 0 ? 0xffffffffu : 0u;
}

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void range_find(GLOBAL const float* RESTRICT image, GLOBAL uint* RESTRICT range, ulong64 count) {
    LOCAL_ARRAY(uint, ends, 2);
    const uint lane = (uint)get_local_id(0);
    if (lane == 0) {
        ends[0] = 0xffffffffu;
        ends[1] = 0;
    }
    BARRIER_LOCAL();
    const ulong64 group = get_group_id(0), groups = get_num_groups(0);
    uint low = 0xffffffffu, high = 0;
#if GROUP == 1
    const ulong64 end = count * (group + 1) / groups;
    for (ulong64 i = count * group / groups; i < end; ++i) {
        const uint key = key_of(image[i]);
        const int counts = IS_NUMBER(image[i]);
        low = min(low, counts ? key : 0xffffffffu);
        high = max(high, counts ? key : 0u);
    }
#else
    const ulong64 step = groups * GROUP;
    for (ulong64 i = group * GROUP + lane; i < count; i += LOADS * step) {
        float loaded[LOADS];
#pragma unroll
        for (uint k = 0; k < LOADS; ++k) loaded[k] = i + k * step < count ? image[i + k * step] : NAN;
#pragma unroll
        for (uint k = 0; k < LOADS; ++k) {
            const uint key = key_of(loaded[k]);
            low = min(low, IS_NUMBER(loaded[k]) ? key : 0xffffffffu);
            high = max(high, IS_NUMBER(loaded[k]) ? key : 0u);
        }
    }
#endif
    atomic_min(&ends[0], low);
    atomic_max(&ends[1], high);
    BARRIER_LOCAL();
    if (lane != 0) return;
    atomic_min(&range[0], ends[0]);
    atomic_max(&range[1], ends[1]);
}

KERNEL void range_edges(GLOBAL const uint* RESTRICT range, GLOBAL float* RESTRICT edges) {
    const uint i = (uint)get_global_id(0);
    if (i > BINS) return;
    const int some = range[0] <= range[1];
    const float low = some ? number_of(range[0]) : 0.0f, high = some ? number_of(range[1]) : 0.0f;
    const float step = (high - low) * (1.0f / BINS);   // exact
    edges[i] = i == BINS ? high : (float)i * step + low;
}
