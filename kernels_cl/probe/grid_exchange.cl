// Probe: do as many work-groups as there are compute units run at once, and see what the others write? In every round each
// group publishes the round's number and waits, for a while, until all others have. Any scheme that waits for other
// groups needs this; OpenCL promises it nowhere. NVIDIA only.
// Layout: words[2 g]: round of group g, 64 bits; words[2 groups]: work-items that waited in vain.
#include "prelude/prelude.clh"
#include "prelude/warp.clh"

#ifndef ROUNDS             // of waiting for all others
#define ROUNDS 256
#endif
#ifndef POLLS       // some hundred nanoseconds each
#define POLLS 65536
#endif

KERNEL void probe(GLOBAL uint* words) {
    GLOBAL ulong64* const states = (GLOBAL ulong64*)words;
    const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0), groups = (uint)get_num_groups(0);
    const ulong64 first = states[get_group_id(0)];   // the probe runs twice
    uint late = 0;
    for (uint round = 1; round <= ROUNDS && late == 0; ++round) {
        if (item == 0) store_relaxed64(states + get_group_id(0), first + round);
        for (uint g = item; g < groups; g += items) {
            uint poll = 0;
            while (load_relaxed64(states + g) < first + round && poll < POLLS) ++poll;
            if (poll == POLLS) late = 1;
        }
        BARRIER_LOCAL();
    }
    if (late != 0) atomic_inc(words + 2 * groups);
}
