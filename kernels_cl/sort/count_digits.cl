// The first step of a pass: work-group g counts the digits of chunk g, counts[digit][chunk]. Keys are read 16 bytes at a time,
// LOADS reads in flight, and counted in COPIES histograms in local memory that neighbours take in turn: equal keys then do not
// wait for each other. The first pass also finds the bits in which keys differ; varying[] is 0 before.
#include "prelude/prelude.clh"
#include "sort/radix.clh"
#include "sort/vectors.clh"

#ifndef GROUP              // work-items of a group
#define GROUP 512
#endif
#ifndef COPIES             // a power of two; BINS * COPIES uint of local memory
#define COPIES 16
#endif
#ifndef LOADS              // in flight for each work-item
#define LOADS 4
#endif

KERNEL REQUIRED_GROUP(1, 1, 1) void clear_varying(GLOBAL uint* varying) { varying[0] = varying[1] = 0; }

// chunk: keys of a work-group, a multiple of PER_VECTOR.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void count_digits(GLOBAL const KEY* in, GLOBAL const KEY* out, GLOBAL const KEY* spare, GLOBAL INDEX* counts,
                  GLOBAL uint* varying, ulong64 count, ulong64 chunk, uint number, uint begin, uint end, uint flip) {
    LOCAL_ARRAY(uint, copies, BINS * COPIES);
    LOCAL_ARRAY(uint, differ, 2);
    const Pass pass = number == 0 ? first_pass(begin, end, flip) : pass_of(number, begin, end, flip, varying);
    if (!pass.runs) return;
    GLOBAL const KEY* const keys = SOURCE_OF(KEY, pass, in, out, spare);
    const uint item = (uint)get_local_id(0);
    for (uint i = item; i < BINS * COPIES; i += GROUP) copies[i] = 0;
    if (item < 2) differ[item] = 0;
    BARRIER_LOCAL();

    LOCAL uint* const own = copies + item % COPIES;
    const ulong64 first = get_group_id(0) * chunk, last = first + chunk < count ? first + chunk : count;
    const ulong64 vectors_end = last / PER_VECTOR;
    const KEY any = in[0];
    KEY bits = 0;
    GLOBAL const uint4* const vectors = (GLOBAL const uint4*)keys;
    ulong64 v = first / PER_VECTOR + item;
    for (; v + (LOADS - 1) * GROUP < vectors_end; v += LOADS * GROUP) {
        uint4 loaded[LOADS];
#pragma unroll
        for (uint i = 0; i < LOADS; ++i) loaded[i] = vectors[v + i * GROUP];
#pragma unroll
        for (uint i = 0; i < LOADS * PER_VECTOR; ++i) {
            const KEY key = key_of(loaded[i / PER_VECTOR], i % PER_VECTOR);
            bits |= key ^ any;
            atomic_inc(&own[digit_of(key, pass) * COPIES]);
        }
    }
    ulong64 rest = vectors_end * PER_VECTOR + item;   // what fills no vector
    for (; v < vectors_end; v += GROUP) {
        const uint4 words = vectors[v];
        for (uint i = 0; i < PER_VECTOR; ++i) {
            const KEY key = key_of(words, i);
            bits |= key ^ any;
            atomic_inc(&own[digit_of(key, pass) * COPIES]);
        }
    }
    if (rest < last) {
        const KEY key = keys[rest];
        bits |= key ^ any;
        atomic_inc(&own[digit_of(key, pass) * COPIES]);
    }
    if (number == 0) {
        atomic_or(&differ[0], (uint)bits);
#if KEY_BITS == 64
        atomic_or(&differ[1], (uint)(bits >> 32));
#endif
    }
    BARRIER_LOCAL();

    if (number == 0 && item < 2 && differ[item] != 0) atomic_or(&varying[item], differ[item]);
    for (uint digit = item; digit < BINS; digit += GROUP) {
        uint sum = 0;
        for (uint i = 0; i < COPIES; ++i) sum += copies[digit * COPIES + (i + item) % COPIES];   // a bank for each lane
        counts[digit * get_num_groups(0) + get_group_id(0)] = sum;
    }
}
