// Hou's method on the device: a number for each voxel whose bits are those of its coordinates in turn, x lowest; sorted by the
// engine's radix sort; then boxes are runs of equal leading bits. Voxels that are not set have bit BITS * DIMS, above all
// others, and come last: nothing waits for their number.
#include "prelude/prelude.clh"
#include "box_count/voxels.clh"

#ifndef DIMS         // 3 volume, 2 image
#define DIMS 3
#endif
#ifndef BITS         // of a coordinate: k
#define BITS 8
#endif
#ifndef WIDE         // 1: numbers of 64 bits
#define WIDE 0
#endif
#if WIDE
#define KEY ulong64
#else
#define KEY uint
#endif
#define NOT_SET ((KEY)1 << (BITS * DIMS))

KERNEL void hou_keys(GLOBAL const ELEMENT* RESTRICT volume, GLOBAL const VALUE* RESTRICT bands, GLOBAL KEY* RESTRICT keys,
                     uint width, uint height, ulong64 count, uint label) {
    const VALUE low = bands[2 * label], high = bands[2 * label + 1];
    for (ulong64 i = get_global_id(0); i < count; i += get_global_size(0)) {
        const uint x = (uint)(i % width), y = (uint)(i / width % height), z = (uint)(i / width / height);
        KEY key = 0;
        for (uint b = 0; b < BITS; ++b) {
            key |= (KEY)(x >> b & 1u) << (DIMS * b) | (KEY)(y >> b & 1u) << (DIMS * b + 1);
#if DIMS == 3
            key |= (KEY)(z >> b & 1u) << (DIMS * b + 2);
#endif
        }
        keys[i] = SET_AT(volume, i, low, high) != 0 ? key : NOT_SET;
    }
}

KERNEL void hou_clear(GLOBAL uint* RESTRICT counts) {
    for (uint i = (uint)get_global_id(0); i < 2 * (BITS + 1); i += (uint)get_global_size(0)) counts[i] = 0;
}

// counts: any and all by m. A set number that differs from the one before it in bit h begins a box of every m with m DIMS <= h;
// the box is full if the number 2^(m DIMS) - 1 places on is still in it.
KERNEL void hou_count(GLOBAL const KEY* RESTRICT keys, GLOBAL uint* RESTRICT counts, ulong64 count) {
    LOCAL_ARRAY(uint, sums, 2 * (BITS + 1));
    const uint lane = (uint)get_local_id(0), group = (uint)get_local_size(0);
    for (uint i = lane; i < 2 * (BITS + 1); i += group) sums[i] = 0;
    BARRIER_LOCAL();
    for (ulong64 i = get_global_id(0); i < count; i += get_global_size(0)) {
        const KEY key = keys[i];
        if (key == NOT_SET) continue;
        for (uint m = 0; m <= BITS; ++m) {
            const uint shift = m * DIMS;
            if (i > 0 && keys[i - 1] >> shift == key >> shift) break;
            const ulong64 last = i + ((ulong64)1 << shift) - 1;
            atomic_inc(&sums[2 * m]);
            if (last < count && keys[last] >> shift == key >> shift) atomic_inc(&sums[2 * m + 1]);
        }
    }
    BARRIER_LOCAL();
    for (uint i = lane; i < 2 * (BITS + 1); i += group)
        if (sums[i] != 0) atomic_add(&counts[i], sums[i]);
}
