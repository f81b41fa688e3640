// The counts of all digits of all keys in one read, for `onesweep`: totals[pass][digit], and where each digit begins.
// varying[]: the bits in which keys differ; see radix.clh.
#include "prelude/prelude.clh"
#include "sort/radix.clh"
#include "sort/vectors.clh"

#ifndef GROUP              // at least BINS
#define GROUP 512
#endif
#ifndef PASSES             // digits of a key
#define PASSES 4
#endif
#ifndef COPIES             // a power of two; PASSES * BINS * COPIES uint of local memory
#define COPIES 8
#endif

KERNEL REQUIRED_GROUP(GROUP, 1, 1) void clear_totals(GLOBAL uint* totals, GLOBAL uint* varying) {
    const uint item = (uint)get_local_id(0);
    for (uint i = item; i < PASSES * BINS; i += GROUP) totals[i] = 0;
    if (item < 2) varying[item] = 0;
}

INLINE void count_key(KEY key, LOCAL uint* own, uint begin, uint end, uint flip) {
#pragma unroll
    for (uint p = 0; p < PASSES; ++p)
        atomic_inc(&own[(p * BINS + digit_of(key, first_pass(begin + p * DIGIT_BITS, end, flip))) * COPIES]);
}

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void count_all(GLOBAL const KEY* keys, GLOBAL uint* totals, GLOBAL uint* varying, uint count, uint begin, uint end, uint flip) {
    LOCAL_ARRAY(uint, copies, PASSES * BINS * COPIES);
    LOCAL_ARRAY(uint, differ, 2);
    const uint item = (uint)get_local_id(0);
    for (uint i = item; i < PASSES * BINS * COPIES; i += GROUP) copies[i] = 0;
    if (item < 2) differ[item] = 0;
    BARRIER_LOCAL();
    LOCAL uint* const own = copies + item % COPIES;
    const KEY any = keys[0];
    KEY bits = 0;
    const uint vectors_end = count / PER_VECTOR, step = (uint)get_num_groups(0) * GROUP,
               first = (uint)get_group_id(0) * GROUP + item;
    GLOBAL const uint4* const vectors = (GLOBAL const uint4*)keys;
    ulong64 v = first;
    for (; v + step < vectors_end; v += 2 * (ulong64)step) {
        const uint4 a = vectors[v], b = vectors[v + step];
#pragma unroll
        for (uint i = 0; i < 2 * PER_VECTOR; ++i) {
            const KEY key = key_of(i < PER_VECTOR ? a : b, i % PER_VECTOR);
            bits |= key ^ any;
            count_key(key, own, begin, end, flip);
        }
    }
    if (v < vectors_end) {
        const uint4 a = vectors[v];
#pragma unroll
        for (uint i = 0; i < PER_VECTOR; ++i) {
            const KEY key = key_of(a, i);
            bits |= key ^ any;
            count_key(key, own, begin, end, flip);
        }
    }
    if (first < count - vectors_end * PER_VECTOR) {   // what fills no vector
        const KEY key = keys[(ulong64)vectors_end * PER_VECTOR + first];
        bits |= key ^ any;
        count_key(key, own, begin, end, flip);
    }
    atomic_or(&differ[0], (uint)bits);
#if KEY_BITS == 64
    atomic_or(&differ[1], (uint)(bits >> 32));
#endif
    BARRIER_LOCAL();
    if (item < 2 && differ[item] != 0) atomic_or(&varying[item], differ[item]);
    for (uint i = item; i < PASSES * BINS; i += GROUP) {
        uint sum = 0;
        for (uint k = 0; k < COPIES; ++k) sum += copies[i * COPIES + (k + item) % COPIES];
        if (sum != 0) atomic_add(&totals[i], sum);
    }
}

// Work-group p: what comes before each digit of pass p.
KERNEL REQUIRED_GROUP(GROUP, 1, 1) void digit_starts(GLOBAL uint* totals) {
    LOCAL_ARRAY(uint, sums, BINS);
    const uint item = (uint)get_local_id(0);
    GLOBAL uint* const row = totals + get_group_id(0) * BINS;
    const uint own = item < BINS ? row[item] : 0;
    if (item < BINS) sums[item] = own;
    BARRIER_LOCAL();
    for (uint step = 1; step < BINS; step *= 2) {
        const uint left = item < BINS && item >= step ? sums[item - step] : 0;
        BARRIER_LOCAL();
        if (item < BINS) sums[item] += left;
        BARRIER_LOCAL();
    }
    if (item < BINS) row[item] = sums[item] - own;
}
