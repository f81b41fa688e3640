// Scan in three launches without any order among work-groups: (1) each of a fixed number of groups adds up its chunk of the
// array, (2) one group scans these totals, (3) each group scans its chunk tile by tile from the total before it: two reads
// and a write an element. A tile goes through local memory so that global memory is read and written by neighbours, and
// ITEMS elements in a row are one work-item's. in and out may be the same array: a tile is read before it is written.
// Source: Dotsenko et al. 2008; Sengupta et al. 2007.
#include "prelude/prelude.clh"
#include "scan/operator.clh"

#ifndef GROUP        // work-items of a group, a power of two
#define GROUP 256
#endif
#ifndef ITEMS        // elements of a tile a work-item
#define ITEMS 8
#endif
#define TILE (GROUP * ITEMS)

// Group g has the elements from g * chunk on; chunk is a multiple of TILE.
KERNEL RESIDENT_GROUP(GROUP, 1, 1)
void chunk_totals(GLOBAL const WORD* in, GLOBAL WORD* totals, ulong64 count, ulong64 chunk) {
    LOCAL_ARRAY(WORD, tree, GROUP);
    const uint item = (uint)get_local_id(0);
    const ulong64 begin = get_group_id(0) * chunk, end = begin + chunk < count ? begin + chunk : count;
    WORD own[ITEMS];
    for (uint k = 0; k < ITEMS; ++k) own[k] = IDENTITY;
    ulong64 i = begin + item;
    for (; i + (TILE - GROUP) < end; i += TILE)
        for (uint k = 0; k < ITEMS; ++k) own[k] = join(own[k], in[i + k * GROUP]);
    for (; i < end; i += GROUP) own[0] = join(own[0], in[i]);
    for (uint k = 1; k < ITEMS; ++k) own[0] = join(own[0], own[k]);
    tree[item] = own[0];
    BARRIER_LOCAL();
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width) tree[item] = join(tree[item], tree[item + width]);
        BARRIER_LOCAL();
    }
    if (item == 0) totals[get_group_id(0)] = tree[0];
}

// offsets[g]: what stands before chunk g; read where has_offsets.
KERNEL RESIDENT_GROUP(GROUP, 1, 1)
void scan_chunks(GLOBAL const WORD* in, GLOBAL WORD* out, GLOBAL const WORD* offsets, ulong64 count, ulong64 chunk,
                 int has_offsets, int exclusive) {
    LOCAL_ARRAY(WORD, tile, TILE);
    LOCAL_ARRAY2(WORD, sums, 2, GROUP);
    const uint item = (uint)get_local_id(0);
    const ulong64 begin = get_group_id(0) * chunk, end = begin + chunk < count ? begin + chunk : count;
    WORD carry = has_offsets ? offsets[get_group_id(0)] : (WORD)IDENTITY;
    for (ulong64 at = begin; at < end; at += TILE) {
        for (uint k = 0; k < ITEMS; ++k) {
            const ulong64 i = at + k * GROUP + item;
            tile[k * GROUP + item] = i < end ? in[i] : (WORD)IDENTITY;
        }
        BARRIER_LOCAL();
        WORD own[ITEMS];
        WORD sum = IDENTITY;
        for (uint k = 0; k < ITEMS; ++k) {
            own[k] = tile[item * ITEMS + k];
            sum = join(sum, own[k]);
        }
        uint now = 0;
        sums[0][item] = sum;
        BARRIER_LOCAL();
        for (uint step = 1; step < GROUP; step *= 2) {
            const WORD mine = sums[now][item];
            sums[1 - now][item] = item >= step ? join(sums[now][item - step], mine) : mine;
            now = 1 - now;
            BARRIER_LOCAL();
        }
        WORD before = item != 0 ? join(carry, sums[now][item - 1]) : carry;
        carry = join(carry, sums[now][GROUP - 1]);
        for (uint k = 0; k < ITEMS; ++k) {
            const WORD after = join(before, own[k]);
            tile[item * ITEMS + k] = exclusive ? before : after;
            before = after;
        }
        BARRIER_LOCAL();
        for (uint k = 0; k < ITEMS; ++k) {
            const ulong64 i = at + k * GROUP + item;
            if (i < end) out[i] = tile[k * GROUP + item];
        }
        BARRIER_LOCAL();
    }
}
