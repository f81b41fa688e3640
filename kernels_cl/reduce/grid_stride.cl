// One pass over the array in vectors of 16 bytes: every work-group walks from tile to tile of the whole grid, every work-item
// keeps LOADS vectors in flight and a few accumulators of its own, and these are joined in local memory at the end: an
// accumulator a work-group remains.
// The order of additions depends on the size and the shape of the launch alone.
#include "prelude/prelude.clh"
#include "reduce/accumulator.clh"

#ifndef GROUP             // work-items of a group, a power of two
#define GROUP 256
#endif
#ifndef LOADS             // vectors of a tile a work-item
#define LOADS 4
#endif
#ifndef ELEMENT_BYTES     // of ELEMENT
#define ELEMENT_BYTES 4
#endif
#ifndef CHAINS            // accumulators of a work-item, a power of two up to 16 / ELEMENT_BYTES
#define CHAINS 4
#endif
#define PER (16 / ELEMENT_BYTES)
#define TILE (GROUP * LOADS)   // vectors

typedef union {
    uint4 whole;
    ELEMENT element[PER];
} Vector;

#if !REAL && ELEMENT_BYTES == 1
// What a vector of bytes holds, added up in 32 bits first: 16 squares fit.
INLINE Accumulator of_vector(Vector v) {
    Accumulator all = empty();
    int low = v.element[0], high = low, sum = 0, squares = 0;
#pragma unroll
    for (uint e = 0; e < PER; ++e) {
        const int x = v.element[e];
        low = min(low, x);
        high = max(high, x);
        sum += x;
        squares += x * x;
    }
#if HAS_LOW
    all.low = (WORD)low;
#endif
#if HAS_HIGH
    all.high = (WORD)high;
#endif
#if HAS_SUM
    all.sum = (WORD)sum;
#endif
#if HAS_SQUARES
    all.squares = (ulong64)squares;
#endif
    return all;
}
#endif

// Group g takes the tiles from g on, every `groups`-th; the first takes also what fills no tile.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void grid_stride(GLOBAL const ELEMENT* RESTRICT array, GLOBAL Accumulator* RESTRICT partial, ulong64 count) {
    LOCAL_ARRAY(Accumulator, tree, GROUP);
    const uint item = (uint)get_local_id(0);
    const ulong64 group = get_group_id(0), groups = get_num_groups(0), tiles = count / (TILE * PER);
    GLOBAL const uint4* const vectors = (GLOBAL const uint4*)array;
    Accumulator own[CHAINS];
#pragma unroll
    for (uint k = 0; k < CHAINS; ++k) clear(&own[k]);
    for (ulong64 tile = group; tile < tiles; tile += groups) {
        Vector loaded[LOADS];
#pragma unroll
        for (uint k = 0; k < LOADS; ++k) loaded[k].whole = vectors[tile * TILE + k * GROUP + item];
#pragma unroll
        for (uint k = 0; k < LOADS; ++k) {
#if !REAL && ELEMENT_BYTES == 1
            const Accumulator more = of_vector(loaded[k]);
            absorb(&own[k % CHAINS], &more);
#else
#pragma unroll
            for (uint e = 0; e < PER; ++e) {
                const Accumulator more = of((WORD)loaded[k].element[e]);
                absorb(&own[e % CHAINS], &more);
            }
#endif
        }
    }
    if (group == 0)
        for (ulong64 i = tiles * (TILE * PER) + item; i < count; i += GROUP) {
            const Accumulator more = of((WORD)array[i]);
            absorb(&own[0], &more);
        }
#pragma unroll
    for (uint width = CHAINS / 2; width > 0; width /= 2) {
#pragma unroll
        for (uint k = 0; k < width; ++k) absorb(&own[k], &own[k + width]);
    }
    tree[item] = own[0];
    BARRIER_LOCAL();
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width) tree[item] = join(tree[item], tree[item + width]);
        BARRIER_LOCAL();
    }
    if (item == 0) partial[group] = tree[0];
}
