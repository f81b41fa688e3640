// The elements at two places of the sorted image, each with the one that follows it: found digit by digit of 8 bits from the
// highest on, without sorting. ranks_begin, then for each digit ranks_count and ranks_pick. NaN and infinities are left out.
//   state[0 .. 3]   keys, of which the digits up to now are known: place 0 and the next, place 1 and the next
//   state[4 .. 7]   how many elements that begin like the key stand before it
//   state[8 .. 9]   what lies between the two elements of a place, in parts of 2^32
//   state[10]       number of elements
//   counts[4][256]  of the next digit, for elements that begin like key 0 ... 3; 0 between the kernels
#include "prelude/prelude.clh"
#include "elementwise/keys.clh"

#ifndef GROUP              // a power of two up to 256; 1 for CPUs
#define GROUP 256
#endif
#define COPIES (GROUP == 1 ? 1 : 8)   // of the counters, so that lanes wait less for each other
#define DIGITS 256
#define LOADS 4                       // in flight for each work-item
#if GROUP == 1
#define INCREMENT(x) (x) += 1
#else
#define INCREMENT(x) atomic_inc(&(x))
#endif

KERNEL void ranks_begin(GLOBAL uint* RESTRICT state, GLOBAL uint* RESTRICT counts) {
    const uint i = (uint)get_global_id(0);
    if (i < 12) state[i] = 0;
    if (i < 4 * DIGITS) counts[i] = 0;
}

// shift: of the digit. In the first pass all keys begin alike: one counts for all, and elements take the room of the four in
// turn, so that equal neighbours wait less for each other.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void ranks_count(GLOBAL const A* RESTRICT image, GLOBAL const uint* RESTRICT state, GLOBAL uint* RESTRICT counts, ulong64 count,
                 uint shift, int first) {
    LOCAL_ARRAY(uint, sums, 4 * DIGITS * COPIES);
    const uint lane = (uint)get_local_id(0);
    for (uint i = lane; i < 4 * DIGITS * COPIES; i += GROUP) sums[i] = 0;
    BARRIER_LOCAL();
    uint keys[4];
    for (uint r = 0; r < 4; ++r) keys[r] = state[r];
    const ulong64 group = get_group_id(0), groups = get_num_groups(0);
#if GROUP == 1
    const ulong64 end = count * (group + 1) / groups, step = 1;
    ulong64 i = count * group / groups;
#else
    const ulong64 end = count, step = groups * GROUP;
    ulong64 i = group * GROUP + lane;
#endif
    for (; i < end; i += LOADS * step) {
        A loaded[LOADS];
#pragma unroll
        for (uint k = 0; k < LOADS; ++k)
            if (i + k * step < end) loaded[k] = image[i + k * step];
#pragma unroll
        for (uint k = 0; k < LOADS; ++k) {
            if (i + k * step >= end || !IS_NUMBER(loaded[k])) continue;
            const uint key = key_of(loaded[k]) >> shift, digit = key & (DIGITS - 1);
            if (first) {
                const uint slot = ((GROUP == 1 ? k : lane / COPIES) % 4 * DIGITS + digit) * COPIES + lane % COPIES;
                INCREMENT(sums[slot]);
                continue;
            }
#pragma unroll
            for (uint r = 0; r < 4; ++r)
                if (key >> 8 == keys[r] && (r == 0 || keys[r] != keys[r - 1]))
                    INCREMENT(sums[(r * DIGITS + digit) * COPIES + lane % COPIES]);
        }
    }
    BARRIER_LOCAL();
    for (uint slot = lane; slot < 4 * DIGITS; slot += GROUP) {
        uint sum = 0;
        for (uint copy = 0; copy < COPIES; ++copy) sum += sums[slot * COPIES + copy];
        if (sum != 0) atomic_add(&counts[first ? slot % DIGITS : slot], sum);
    }
}

// One work-group. low, high: the two places as parts of 2^32 of the way from the first element to the last.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void ranks_pick(GLOBAL uint* RESTRICT state, GLOBAL uint* RESTRICT counts, ulong64 low, ulong64 high, int first) {
    LOCAL_ARRAY(uint, sums, GROUP);
    const uint item = (uint)get_local_id(0), span = DIGITS / GROUP;
    uint keys[4], places[4];
    for (uint r = 0; r < 4; ++r) {
        keys[r] = state[r];
        places[r] = state[4 + r];
    }
    BARRIER_ALL();   // all have read the state before any writes it
    for (uint r = 0; r < 4; ++r) {
        uint row = r;
        while (row > 0 && keys[row] == keys[row - 1]) --row;   // counted once
        GLOBAL const uint* digits = counts + row * DIGITS + item * span;
        uint own = 0;
        for (uint k = 0; k < span; ++k) own += digits[k];
        BARRIER_LOCAL();   // the sums of the row before are read
        sums[item] = own;
        BARRIER_LOCAL();
        for (uint step = 1; step < GROUP; step *= 2) {
            const uint left = item >= step ? sums[item - step] : 0;
            BARRIER_LOCAL();
            sums[item] += left;
            BARRIER_LOCAL();
        }
        const uint total = sums[GROUP - 1];
        uint place = places[r];
        if (first && total != 0) {
            const ulong64 exact = (r < 2 ? low : high) * (total - 1);
            place = (uint)(exact >> 32);
            if ((r & 1u) != 0) place = min(place + 1, total - 1);
            if (item == 0) {
                if ((r & 1u) == 0) state[8 + r / 2] = (uint)exact;
                state[10] = total;
            }
        }
        uint before = sums[item] - own;
        for (uint k = 0; k < span; ++k) {
            const uint here = digits[k];
            if (place >= before && place - before < here) {
                state[r] = keys[r] << 8 | (item * span + k);
                state[4 + r] = place - before;
            }
            before += here;
        }
    }
    BARRIER_ALL();
    for (uint i = item; i < 4 * DIGITS; i += GROUP) counts[i] = 0;
}
