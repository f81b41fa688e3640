// A work-group counts its share of the image in local memory and adds the sums to histogram[], which is 0 before.
//   counts[slot * COPIES + lane % COPIES]   with 32 copies every lane has a bank of its own, so that no data, random or
//                                           constant, makes two lanes wait for each other (32 KiB for 256 bins)
//   LOADS 16-byte loads are in flight for each work-item
//   GROUP 1 (CPUs): plain increments, the copies taken in turn so that equal neighbours do not wait for each other's store
//   more than RANGE slots: the groups of row r (axis 1) read everything and count slots [r * RANGE, (r + 1) * RANGE)
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
#ifndef RANGE              // slots of local memory, RANGE * COPIES <= 8192
#define RANGE SLOTS
#endif
#define PER_VECTOR (16 / ELEMENT_BYTES)
#define PER_WORD (4 / ELEMENT_BYTES)

INLINE void count_slot(LOCAL uint* counts, uint slot, uint copy) {
#if RANGE < SLOTS
    slot -= (uint)get_group_id(1) * RANGE;   // below the range: wraps to a large number
    if (slot >= RANGE) return;
#endif
#if GROUP == 1
    counts[slot * COPIES + copy] += 1;
#else
    atomic_inc(&counts[slot * COPIES + copy]);
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
INLINE void count_word(LOCAL uint* counts, uint word, ulong64 at, uint channel, uint lane, GLOBAL const uchar* mask,
                       GLOBAL const float* edges) {
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
        count_slot(counts, (channel + i) % CHANNELS * BINS + bin, copy);
    }
}

// Elements at, at + 1, ... that a vector holds. Written so that each function has one place that calls it: PoCL 3.1 drops the
// increments of functions that it does not inline.
INLINE void count_vector(LOCAL uint* counts, uint4 words, ulong64 at, uint lane, GLOBAL const uchar* mask,
                         GLOBAL const float* edges) {
    const uint channel = (uint)(at % CHANNELS);
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
        const uint word = i == 0 ? words.x : i == 1 ? words.y : i == 2 ? words.z : words.w;
        count_word(counts, word, at + i * PER_WORD, channel + i * PER_WORD, lane, mask, edges);
    }
}

// count: elements of the image, channels included. mask and edges are read only where they are used.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void histogram_local(GLOBAL const ELEMENT* RESTRICT image, GLOBAL const uchar* RESTRICT mask, GLOBAL const float* RESTRICT edges,
                     GLOBAL uint* RESTRICT histogram, ulong64 count) {
    LOCAL_ARRAY(uint, counts, RANGE * COPIES);
    const uint lane = (uint)get_local_id(0);
    for (uint i = lane; i < RANGE * COPIES; i += GROUP) counts[i] = 0;
    BARRIER_LOCAL();

    GLOBAL const uint4* vectors = (GLOBAL const uint4*)image;
    const ulong64 group = get_group_id(0), groups = get_num_groups(0), total = count / PER_VECTOR;
#if GROUP == 1   // a block for each: one core reads on
    const ulong64 step = 1, end = total * (group + 1) / groups;
    ulong64 v = total * group / groups;
#else            // neighbours read neighbours
    const ulong64 step = groups * GROUP, end = total;
    ulong64 v = group * GROUP + lane;
#endif
    for (; v < end; v += LOADS * step) {
        uint4 loaded[LOADS];
#pragma unroll
        for (uint i = 0; i < LOADS; ++i)
            if (v + i * step < end) loaded[i] = vectors[v + i * step];
#pragma unroll
        for (uint i = 0; i < LOADS; ++i) {
            const ulong64 vector = v + i * step;
            if (vector < end) count_vector(counts, loaded[i], vector * PER_VECTOR, lane, mask, edges);
        }
    }

    if (group == 0) {   // what no vector holds
        for (ulong64 at = total * PER_VECTOR + lane; at < count; at += GROUP) {
#if HAS_MASK
            if (mask[at / CHANNELS] == 0) continue;
#endif
            const uint bin = bin_of(image[at], edges);
            if (bin != NO_BIN) count_slot(counts, (uint)(at % CHANNELS) * BINS + bin, lane % COPIES);
        }
    }
    BARRIER_LOCAL();

    const uint first = (uint)get_group_id(1) * RANGE;
    for (uint slot = lane; slot < RANGE && first + slot < SLOTS; slot += GROUP) {
        uint sum = 0;
        for (uint copy = 0; copy < COPIES; ++copy)
            sum += counts[slot * COPIES + (copy + lane) % COPIES];   // a bank for each lane
        if (sum != 0) atomic_add(&histogram[first + slot], sum);
    }
}
