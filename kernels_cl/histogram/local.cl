// A work-group counts its share of the image in local memory and adds the sums to sums[], which is 0 before.
//   counts[slot * COPIES + lane % COPIES]   with 32 copies every lane has a bank of its own, so that no data, random or
//                                           constant, makes two lanes wait for each other (32 KiB for 256 bins)
//   LOADS 16-byte loads are in flight for each work-item
//   GROUP 1 (CPUs): plain increments, the copies behind each other and taken in turn, so that equal neighbours do not wait for
//                   each other's store; word by word, since compilers take vectors apart at a price
//   more than RANGE slots: the groups of row r (axis 1) read everything and count slots [r * RANGE, (r + 1) * RANGE)
//   HALVES 1: two counters of 16 bits in a word, for ranges twice as wide. Who lifts one to 2^15 takes as much away and adds it
//   to sums[]. Between two barriers a group counts 2^15 elements at most, so that none gets to 2^16 before.
//   CLOSE 1: the last group to leave moves sums[] to histogram[], and leaves zeros for the next run: one launch instead of two
#include "prelude/prelude.clh"
#include "histogram/bins.clh"

#ifndef GROUP              // work-items of a group; 1 for CPUs
#define GROUP 256
#endif
#ifndef COPIES             // a power of two
#define COPIES 1
#endif
#ifndef LOADS              // in flight for each work-item
#define LOADS 4
#endif
#ifndef RANGE              // slots of local memory: RANGE * COPIES <= 8192, GROUP 1 65536
#define RANGE SLOTS
#endif
#ifndef HALVES             // 1: RANGE is even, COPIES 1 and GROUP * LOADS * PER_VECTOR <= 2^15
#define HALVES 0
#endif
#ifndef CLOSE              // 1: behind sums[] one more word, 0 before, counts the groups that have left
#define CLOSE 0
#endif
#define PER_VECTOR (16 / ELEMENT_BYTES)
#define PER_WORD (4 / ELEMENT_BYTES)

#if HALVES
#define WORDS (RANGE / 2)
#define FULL 0x8000u
#else
#define WORDS (RANGE * COPIES)
#endif

#if GROUP == 1
#define COUNT_AT(slot, copy) ((copy) * RANGE + (slot))
#else
#define COUNT_AT(slot, copy) ((slot) * COPIES + (copy))
#endif

// `times` elements; sums: this range of histogram[].
INLINE void count_slot(LOCAL uint* counts, GLOBAL uint* sums, uint slot, uint copy, uint times) {
#if RANGE < SLOTS
    slot -= (uint)get_group_id(1) * RANGE;   // below the range: wraps to a large number
    if (slot >= RANGE) return;
#endif
#if HALVES
    const uint shift = slot % 2 * 16, before = atomic_add(&counts[slot / 2], times << shift) >> shift & 0xffffu;
    if (before < FULL && before + times >= FULL) {
        atomic_sub(&counts[slot / 2], FULL << shift);
        atomic_add(&sums[slot], FULL);
    }
#elif GROUP == 1
    counts[COUNT_AT(slot, copy)] += 1;
#else
    atomic_inc(&counts[COUNT_AT(slot, copy)]);
#endif
}

#if IS_FLOAT
#define VALUE_IN_WORD(word, i) as_float(word)
#elif ELEMENT_BYTES == 2
#define VALUE_IN_WORD(word, i) ((word) >> (16 * (i)) & 0xffffu)
#else
#define VALUE_IN_WORD(word, i) ((word) >> (8 * (i)) & 0xffu)
#endif

// Elements at, at + 1, ... that one word holds; `channel` is that of the first.
INLINE void count_word(LOCAL uint* counts, GLOBAL uint* sums, uint word, ulong64 at, uint channel, uint lane,
                       GLOBAL const uchar* mask, GLOBAL const float* edges) {
#pragma unroll
    for (uint i = 0; i < PER_WORD; ++i) {
#if HAS_MASK
        if (mask[(at + i) / CHANNELS] == 0) continue;
#endif
        const uint bin = bin_of(VALUE_IN_WORD(word, i), edges);
#if IS_FLOAT
        if (bin == NO_BIN) continue;
#endif
        const uint copy = (GROUP == 1 ? i : lane) % COPIES;
        count_slot(counts, sums, (channel + i) % CHANNELS * BINS + bin, copy, 1);
    }
}

// Elements at, at + 1, ... that a vector holds. Written so that each function has one place that calls it: PoCL 3.1 drops the
// increments of functions that it does not inline.
INLINE void count_vector(LOCAL uint* counts, GLOBAL uint* sums, uint4 words, ulong64 at, uint lane, GLOBAL const uchar* mask,
                         GLOBAL const float* edges) {
    const uint channel = (uint)(at % CHANNELS);
#if HALVES && CHANNELS == 1 && !HAS_MASK && ELEMENT_BYTES == 2
    // Dark ground: lanes that add to one counter wait for each other, so eight equal elements go as one.
    if (words.x == words.y && words.x == words.z && words.x == words.w && words.x >> 16 == (words.x & 0xffffu)) {
        count_slot(counts, sums, bin_of(words.x & 0xffffu, edges), 0, PER_VECTOR);
        return;
    }
#endif
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
        const uint word = i == 0 ? words.x : i == 1 ? words.y : i == 2 ? words.z : words.w;
        count_word(counts, sums, word, at + i * PER_WORD, channel + i * PER_WORD, lane, mask, edges);
    }
}

// count: elements of the image, channels included. mask and edges are read only where they are used, histogram where CLOSE is 1.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void histogram_local(GLOBAL const ELEMENT* RESTRICT image, GLOBAL const uchar* RESTRICT mask, GLOBAL const float* RESTRICT edges,
                     GLOBAL uint* histogram, GLOBAL uint* all_sums, ulong64 count) {
    LOCAL_ARRAY(uint, counts, WORDS);
    const uint lane = (uint)get_local_id(0), first = (uint)get_group_id(1) * RANGE;
    GLOBAL uint* const sums = all_sums + first;
    for (uint i = lane; i < WORDS; i += GROUP) counts[i] = 0;
    BARRIER_LOCAL();

    GLOBAL const uint4* vectors = (GLOBAL const uint4*)image;
    const ulong64 group = get_group_id(0), groups = get_num_groups(0), total = count / PER_VECTOR;
#if GROUP == 1 && CHANNELS == 1 && !HALVES   // one core reads on
    for (ulong64 w = 4 * (total * group / groups); w < 4 * (total * (group + 1) / groups); ++w)
        count_word(counts, sums, ((GLOBAL const uint*)image)[w], w * PER_WORD, 0, 0, mask, edges);
#else
#if GROUP == 1
    const ulong64 step = 1, end = total * (group + 1) / groups;
    ulong64 start = total * group / groups;
#else            // neighbours read neighbours
    const ulong64 step = groups * GROUP, end = total;
    ulong64 start = group * GROUP;
#endif
    for (; start < end; start += LOADS * step) {   // the group's, not the item's: all of a group then meet at the barriers
        const ulong64 v = start + lane;
        uint4 loaded[LOADS];
#pragma unroll
        for (uint i = 0; i < LOADS; ++i)
            if (v + i * step < end) loaded[i] = vectors[v + i * step];
#pragma unroll
        for (uint i = 0; i < LOADS; ++i) {
            const ulong64 vector = v + i * step;
            if (vector < end) count_vector(counts, sums, loaded[i], vector * PER_VECTOR, lane, mask, edges);
        }
#if HALVES
        BARRIER_LOCAL();
#endif
    }
#endif

    if (group == 0) {   // what no vector holds
        for (ulong64 at = total * PER_VECTOR + lane; at < count; at += GROUP) {
#if HAS_MASK
            if (mask[at / CHANNELS] == 0) continue;
#endif
            const uint bin = bin_of(image[at], edges);
            if (bin != NO_BIN) count_slot(counts, sums, (uint)(at % CHANNELS) * BINS + bin, lane % COPIES, 1);
        }
    }
    BARRIER_LOCAL();

    for (uint slot = lane; slot < RANGE && first + slot < SLOTS; slot += GROUP) {
#if HALVES
        const uint sum = counts[slot / 2] >> slot % 2 * 16 & 0xffffu;
#else
        uint sum = 0;
        for (uint copy = 0; copy < COPIES; ++copy)
            sum += counts[COUNT_AT(slot, (copy + lane) % COPIES)];   // a bank for each lane
#endif
        if (sum != 0) atomic_add(&sums[slot], sum);
    }
#if CLOSE
    mem_fence(CLK_GLOBAL_MEM_FENCE);   // each item's sums, then the group's, before it is counted as having left
    BARRIER_ALL();
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (lane == 0) counts[0] = atomic_inc(&all_sums[SLOTS]) == (uint)(get_num_groups(0) * get_num_groups(1)) - 1;
    BARRIER_LOCAL();
    if (counts[0] == 0) return;
    for (uint slot = lane; slot < SLOTS; slot += GROUP) histogram[slot] = atomic_xchg(&all_sums[slot], 0u);
    if (lane == 0) atomic_xchg(&all_sums[SLOTS], 0u);
#endif
}
