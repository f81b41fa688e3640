// The source paper's histogram of 64 bins: every work-item has a counter of one byte for each bin, so that nothing is shared and
// nothing is atomic. A byte holds 255, so at most 240 pixels are counted before the counters are summed up.
//   counters[bin * GROUP + item]; work-item b sums bin b over all items of its group
#include "prelude/prelude.clh"

#ifndef GROUP              // at least 64
#define GROUP 64
#endif
#define BYTE_BINS 64
#define VECTORS_A_ROUND 15   // 15 * 16 = 240 pixels

INLINE void count_byte_word(LOCAL uchar* mine, uint word) {
    mine[(word >> 2 & 63u) * GROUP] += 1;
    mine[(word >> 10 & 63u) * GROUP] += 1;
    mine[(word >> 18 & 63u) * GROUP] += 1;
    mine[(word >> 26) * GROUP] += 1;
}

// histogram[64] is 0 before; count: pixels.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void histogram_byte_counters(GLOBAL const uchar* RESTRICT image, GLOBAL uint* RESTRICT histogram, ulong64 count) {
    LOCAL_ARRAY(uchar, counters, BYTE_BINS * GROUP);
    const uint item = (uint)get_local_id(0);
    LOCAL uchar* mine = counters + item;
    GLOBAL const uint4* vectors = (GLOBAL const uint4*)image;
    const ulong64 total = count / 16, step = (ulong64)get_num_groups(0) * GROUP;
    uint sum = 0;
    // `first` is the group's, not the item's: all of a group then meet at the barriers.
    for (ulong64 first = (ulong64)get_group_id(0) * GROUP; first < total; first += VECTORS_A_ROUND * step) {
        for (uint bin = 0; bin < BYTE_BINS; ++bin) mine[bin * GROUP] = 0;
        for (uint i = 0; i < VECTORS_A_ROUND; ++i) {
            const ulong64 v = first + i * step + item;
            if (v >= total) break;
            const uint4 words = vectors[v];
            count_byte_word(mine, words.x);
            count_byte_word(mine, words.y);
            count_byte_word(mine, words.z);
            count_byte_word(mine, words.w);
        }
        BARRIER_LOCAL();
        if (item < BYTE_BINS) {
            for (uint i = 0; i < GROUP; ++i) sum += counters[item * GROUP + (i + item) % GROUP];
        }
        BARRIER_LOCAL();
    }
    if (item < BYTE_BINS && sum != 0) atomic_add(&histogram[item], sum);
    const ulong64 rest = total * 16 + item;   // what no vector holds: fewer than 16 pixels
    if (get_group_id(0) == 0 && rest < count) atomic_inc(&histogram[image[rest] >> 2]);
}
