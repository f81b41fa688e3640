// Radix sort for CPUs: a work-group is one work-item with a chunk of its own, nothing is atomic but one word a launch, and a
// pass is two launches: count_chunks, scatter_chunks. Chunks are few, so each adds up the counts of those before it.
//   counts[chunk][digit]
#include "prelude/prelude.clh"
#include "sort/radix.clh"

#define COPIES 4           // histograms that keys take in turn: equal neighbours do not wait for each other's store

KERNEL REQUIRED_GROUP(1, 1, 1) void clear_varying(GLOBAL uint* varying) { varying[0] = varying[1] = 0; }

KERNEL REQUIRED_GROUP(1, 1, 1)
void count_chunks(GLOBAL const KEY* in, GLOBAL const KEY* out, GLOBAL const KEY* spare, GLOBAL INDEX* counts,
                  GLOBAL uint* varying, ulong64 count, ulong64 chunk, uint number, uint begin, uint end, uint flip) {
    LOCAL_ARRAY(uint, copies, BINS * COPIES);
    const Pass pass = number == 0 ? first_pass(begin, end, flip) : pass_of(number, begin, end, flip, varying);
    if (!pass.runs) return;
    const ulong64 group = get_group_id(0), first = group * chunk, last = first + chunk < count ? first + chunk : count;
    GLOBAL const KEY* const keys = SOURCE_OF(KEY, pass, in, out, spare);
    for (uint i = 0; i < BINS * COPIES; ++i) copies[i] = 0;
    const KEY any = in[0];
    KEY bits = 0;
    ulong64 i = first;
    for (; i + COPIES <= last; i += COPIES) {
#pragma unroll
        for (uint k = 0; k < COPIES; ++k) {
            const KEY key = keys[i + k];
            bits |= key ^ any;
            copies[k * BINS + digit_of(key, pass)] += 1;
        }
    }
    for (; i < last; ++i) {
        const KEY key = keys[i];
        bits |= key ^ any;
        copies[digit_of(key, pass)] += 1;
    }
    for (uint d = 0; d < BINS; ++d)
        counts[group * BINS + d] = copies[d] + copies[BINS + d] + copies[2 * BINS + d] + copies[3 * BINS + d];
    if (number != 0) return;
    atomic_or(&varying[0], (uint)bits);
#if KEY_BITS == 64
    atomic_or(&varying[1], (uint)(bits >> 32));
#endif
}

KERNEL REQUIRED_GROUP(1, 1, 1)
void scatter_chunks(GLOBAL const KEY* in, GLOBAL KEY* out, GLOBAL KEY* spare, GLOBAL const uint* in_values,
                    GLOBAL uint* out_values, GLOBAL uint* spare_values, GLOBAL const INDEX* counts, GLOBAL const uint* varying,
                    ulong64 count, ulong64 chunk, uint number, uint begin, uint end, uint flip) {
    LOCAL_ARRAY(INDEX, next, BINS);        // where the next key of a digit goes
    const Pass pass = pass_of(number, begin, end, flip, varying);
    if (!pass.runs) return;
    const ulong64 group = get_group_id(0), groups = get_num_groups(0);
    GLOBAL const KEY* const keys = SOURCE_OF(KEY, pass, in, out, spare);
    GLOBAL KEY* const to = pass.to_out ? out : spare;
#if HAS_VALUES
    GLOBAL const uint* const values = SOURCE_OF(uint, pass, in_values, out_values, spare_values);
    GLOBAL uint* const to_values = pass.to_out ? out_values : spare_values;
#endif
    INDEX sum = 0;
    for (uint d = 0; d < BINS; ++d) {
        for (ulong64 g = 0; g < groups; ++g) {
            if (g == group) next[d] = sum;
            sum += counts[g * BINS + d];
        }
    }
    const ulong64 first = group * chunk, last = first + chunk < count ? first + chunk : count;
    for (ulong64 i = first; i < last; ++i) {
        const KEY key = keys[i];
        const uint d = digit_of(key, pass);
        const INDEX at = next[d];
        next[d] = at + 1;
        to[at] = key;
#if HAS_VALUES
        to_values[at] = values[i];
#endif
    }
}
