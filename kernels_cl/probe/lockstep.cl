// Probe: do WIDTH neighbouring work-items run in lock step? They exchange values through local memory without any
// barrier, after a stretch of work whose length differs from one to the next; each counts the values that came late.
// A device that passes may still not promise it: the result only confirms what its driver reports.
// Layout: errors[work-item].
#include "prelude/prelude.clh"

#ifndef WIDTH   // work-items said to run together, a power of two
#define WIDTH 32
#endif
#ifndef ITEMS   // work-items of the group
#define ITEMS 128
#endif

KERNEL void probe(GLOBAL uint* errors) {
    LOCAL_ARRAY(volatile uint, mail, ITEMS);
    const uint item = (uint)get_local_id(0);
    uint wrong = 0;
    mail[item] = 0;
    for (uint round = 1; round < 256; ++round) {
        uint noise = round * 2654435761u + item;
        for (uint i = 0; i < (noise >> 7) % 5u; ++i) noise = noise * 1664525u + 1013904223u;
        mail[item] = round + (noise == 12345u ? 1u : 0u);
        const uint partner = item ^ ((1u << (round % 8u)) & (WIDTH - 1u));
        if (mail[partner] < round) ++wrong;
    }
    errors[item] = wrong;
}
