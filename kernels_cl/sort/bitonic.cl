// Bitonic sort of a small array: bits [begin, end) of the keys together with their places, so that no two are equal and the
// result is stable. Sequences are sorted in blocks in local memory; longer ones are merged by launches over the whole array as
// long as what is compared lies further apart than a block. At the end keys and values are fetched from their places.
// `size` is the smallest power of two that holds `count`; places from count on are filled with keys that come last.
// Source: Batcher 1968.
#include "prelude/prelude.clh"

#ifndef KEY_BITS           // 32 or 64
#define KEY_BITS 32
#endif
#ifndef HAS_VALUES         // 1: a uint goes along with each key
#define HAS_VALUES 0
#endif
#ifndef GROUP              // work-items of a group
#define GROUP 256
#endif
#ifndef BLOCK              // keys that local memory holds, a power of two, at least 2 GROUP
#define BLOCK 2048
#endif
#if KEY_BITS == 64
#define KEY ulong64
#else
#define KEY uint
#endif

// Whether (a, place of a) comes after (b, place of b).
INLINE int comes_after(KEY a, uint place_a, KEY b, uint place_b) { return a > b || (a == b && place_a > place_b); }

// The bits that are compared, smaller first; flip: all ones for descending.
INLINE KEY compared(KEY key, uint begin, uint end, uint flip) {
    const KEY flipped = flip != 0 ? ~key : key;
    return flipped << (KEY_BITS - end) >> (KEY_BITS - end + begin);
}

// Comparisons `apart` = from, from / 2, ... 1 of the sequences of `length` keys; blocks of `block` keys in local memory.
INLINE void merge_block(LOCAL KEY* keys, LOCAL uint* places, uint length, uint from, uint block, uint base, uint item) {
    for (uint apart = from; apart > 0; apart /= 2) {
        for (uint i = item; i < block / 2; i += GROUP) {
            const uint low = i / apart * (2 * apart) + i % apart, high = low + apart;
            const int downward = ((base + low) & length) != 0;
            if (comes_after(keys[low], places[low], keys[high], places[high]) != downward) {
                const KEY key = keys[low];
                keys[low] = keys[high];
                keys[high] = key;
                const uint place = places[low];
                places[low] = places[high];
                places[high] = place;
            }
        }
        BARRIER_LOCAL();
    }
}

// Work-group g sorts block g of the array, upward and downward in turn.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void bitonic_blocks(GLOBAL const KEY* in, GLOBAL KEY* keys, GLOBAL uint* places, uint count, uint block, uint begin, uint end,
                    uint flip) {
    LOCAL_ARRAY(KEY, own_keys, BLOCK);
    LOCAL_ARRAY(uint, own_places, BLOCK);
    const uint item = (uint)get_local_id(0), base = (uint)get_group_id(0) * block;
    for (uint i = item; i < block; i += GROUP) {
        own_keys[i] = base + i < count ? compared(in[base + i], begin, end, flip) : ~(KEY)0;
        own_places[i] = base + i;
    }
    BARRIER_LOCAL();
    for (uint length = 2; length <= block; length *= 2) merge_block(own_keys, own_places, length, length / 2, block, base, item);
    for (uint i = item; i < block; i += GROUP) {
        keys[base + i] = own_keys[i];
        places[base + i] = own_places[i];
    }
}

// One comparison of every key with the one `apart` from it; a work-item a pair.
KERNEL REQUIRED_GROUP(GROUP, 1, 1) void bitonic_step(GLOBAL KEY* keys, GLOBAL uint* places, uint length, uint apart) {
    const uint i = (uint)get_global_id(0), low = i / apart * (2 * apart) + i % apart, high = low + apart;
    const KEY a = keys[low], b = keys[high];
    const uint place_a = places[low], place_b = places[high];
    if (comes_after(a, place_a, b, place_b) == ((low & length) != 0)) return;
    keys[low] = b;
    keys[high] = a;
    places[low] = place_b;
    places[high] = place_a;
}

// The comparisons of sequences of `length` keys that lie within blocks.
KERNEL REQUIRED_GROUP(GROUP, 1, 1) void bitonic_merge(GLOBAL KEY* keys, GLOBAL uint* places, uint length, uint block) {
    LOCAL_ARRAY(KEY, own_keys, BLOCK);
    LOCAL_ARRAY(uint, own_places, BLOCK);
    const uint item = (uint)get_local_id(0), base = (uint)get_group_id(0) * block;
    for (uint i = item; i < block; i += GROUP) {
        own_keys[i] = keys[base + i];
        own_places[i] = places[base + i];
    }
    BARRIER_LOCAL();
    merge_block(own_keys, own_places, length, block / 2, block, base, item);
    for (uint i = item; i < block; i += GROUP) {
        keys[base + i] = own_keys[i];
        places[base + i] = own_places[i];
    }
}

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void bitonic_fetch(GLOBAL const KEY* in, GLOBAL const uint* in_values, GLOBAL KEY* out, GLOBAL uint* out_values,
                   GLOBAL const uint* places, uint count) {
    const uint i = (uint)get_global_id(0);
    if (i >= count) return;
    out[i] = in[places[i]];
#if HAS_VALUES
    out_values[i] = in_values[places[i]];
#endif
}
