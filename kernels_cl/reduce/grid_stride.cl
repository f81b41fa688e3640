// One pass over the array: every work-group walks over tiles, every work-item keeps ITEMS accumulators of its own, and
// these are joined in local memory at the end: an accumulator a work-group remains. Work-groups of one item walk over
// neighbouring tiles (CPUs: the ITEMS accumulators are a vector), larger ones from tile to tile of the whole grid.
// The order of additions depends on the size and the shape of the launch alone.
#include "prelude/prelude.clh"
#include "reduce/accumulator.clh"

#ifndef GROUP        // work-items of a group, a power of two
#define GROUP 256
#endif
#ifndef ITEMS        // elements of a tile a work-item
#define ITEMS 8
#endif

// Group g takes `each` tiles from g * first on, every `step`-th; the first takes also what fills no tile.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void grid_stride(GLOBAL const ELEMENT* RESTRICT array, GLOBAL Accumulator* RESTRICT partial, ulong64 count, ulong64 each,
                 ulong64 first, ulong64 step) {
    LOCAL_ARRAY(Accumulator, tree, GROUP);
    const uint item = (uint)get_local_id(0);
    const ulong64 group = get_group_id(0), tiles = count / (GROUP * ITEMS);
    Accumulator own[ITEMS];
    for (uint k = 0; k < ITEMS; ++k) own[k] = empty();
    ulong64 tile = group * first;
    for (ulong64 n = 0; n < each && tile < tiles; ++n, tile += step) {
        GLOBAL const ELEMENT* const from = array + tile * (GROUP * ITEMS) + item;
        for (uint k = 0; k < ITEMS; ++k) own[k] = join(own[k], of((WORD)from[k * GROUP]));
    }
    if (group == 0)
        for (ulong64 i = tiles * (GROUP * ITEMS) + item; i < count; i += GROUP) own[0] = join(own[0], of((WORD)array[i]));
    for (uint width = ITEMS / 2; width > 0; width /= 2)
        for (uint k = 0; k < width; ++k) own[k] = join(own[k], own[k + width]);
#if GROUP > 1
    tree[item] = own[0];
    BARRIER_LOCAL();
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width) tree[item] = join(tree[item], tree[item + width]);
        BARRIER_LOCAL();
    }
    if (item == 0) partial[group] = tree[0];
#else
    partial[group] = own[0];
#endif
}
