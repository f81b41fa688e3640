// The source papers' scans of a block in local memory, for comparison. A block's total goes to `totals`; these are scanned
// by the same kernel, and `add_offsets` joins what stands before a block to its elements.
//   hillis_steele   GROUP elements a block, log2 GROUP steps, every step from one buffer to the other (a single buffer needs
//                   a barrier between reading and writing, or it races)
//   blelloch        2 GROUP elements a block: sums up a tree, then down it what stands before each element
// in and out may be the same array: a block is read before it is written.
// Sources: Hillis and Steele 1986; Blelloch 1990.
#include "prelude/prelude.clh"
#include "scan/operator.clh"

#ifndef GROUP        // work-items of a group, a power of two
#define GROUP 256
#endif

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void hillis_steele(GLOBAL const WORD* in, GLOBAL WORD* out, GLOBAL WORD* totals, ulong64 count, int exclusive) {
    LOCAL_ARRAY2(WORD, buffer, 2, GROUP);
    const uint item = (uint)get_local_id(0);
    const ulong64 i = get_global_id(0);
    uint now = 0;
    buffer[0][item] = i < count ? in[i] : (WORD)IDENTITY;
    BARRIER_LOCAL();
    for (uint step = 1; step < GROUP; step *= 2) {
        const WORD own = buffer[now][item];
        buffer[1 - now][item] = item >= step ? join(buffer[now][item - step], own) : own;
        now = 1 - now;
        BARRIER_LOCAL();
    }
    const WORD before = item != 0 ? buffer[now][item - 1] : (WORD)IDENTITY;
    if (i < count) out[i] = exclusive ? before : buffer[now][item];
    if (item == GROUP - 1) totals[get_group_id(0)] = buffer[now][item];
}

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void blelloch(GLOBAL const WORD* in, GLOBAL WORD* out, GLOBAL WORD* totals, ulong64 count, int exclusive) {
    LOCAL_ARRAY(WORD, tree, 2 * GROUP);
    const uint item = (uint)get_local_id(0);
    const ulong64 a = get_group_id(0) * (2 * GROUP) + item, b = a + GROUP;
    const WORD own_a = a < count ? in[a] : (WORD)IDENTITY, own_b = b < count ? in[b] : (WORD)IDENTITY;
    tree[item] = own_a;
    tree[item + GROUP] = own_b;
    BARRIER_LOCAL();
    for (uint width = 1; width <= GROUP; width *= 2) {
        const uint right = (2 * item + 2) * width - 1;
        if (item < GROUP / width) tree[right] = join(tree[right - width], tree[right]);
        BARRIER_LOCAL();
    }
    if (item == 0) {
        totals[get_group_id(0)] = tree[2 * GROUP - 1];
        tree[2 * GROUP - 1] = IDENTITY;
    }
    BARRIER_LOCAL();
    for (uint width = GROUP; width > 0; width /= 2) {
        const uint right = (2 * item + 2) * width - 1;
        if (item < GROUP / width) {
            const WORD left = tree[right - width];
            tree[right - width] = tree[right];
            tree[right] = join(tree[right], left);
        }
        BARRIER_LOCAL();
    }
    if (a < count) out[a] = exclusive ? tree[item] : join(tree[item], own_a);
    if (b < count) out[b] = exclusive ? tree[item + GROUP] : join(tree[item + GROUP], own_b);
}

// block: elements of a block; offsets[k]: what stands before block k.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void add_offsets(GLOBAL WORD* out, GLOBAL const WORD* offsets, ulong64 count, uint block) {
    const ulong64 i = get_global_id(0);
    if (i < count && i >= block) out[i] = join(offsets[i / block], out[i]);
}
