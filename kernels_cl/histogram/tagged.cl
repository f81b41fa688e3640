// The source paper's histogram of 256 bins without atomics: a histogram for each warp, whose lanes write a count that carries
// their own number in the upper bits, read it back, and try again where another lane's write stood. It leans on the lanes of
// a warp going together: with inline PTX they are told to (PTX 1), elsewhere a probe must have shown that they do.
// The lanes race for the counters by design.
//   counts[warp * 256 + bin]: lane number in the upper TAG_BITS bits, count below
// Source: Shams and Kennedy 2007; Podlozhnyuk 2007.
#include "prelude/prelude.clh"
#ifndef PTX                // 1: inline PTX
#define PTX 0
#endif
#if PTX
#include "prelude/warp.clh"
#endif

#ifndef GROUP              // work-items of a group
#define GROUP 256
#endif
#ifndef WIDTH              // work-items of a warp, a power of two; GROUP is a multiple of it
#define WIDTH 32
#endif
#ifndef TAG_BITS           // log2 WIDTH
#define TAG_BITS 5
#endif
#define BINS 256
#define WARPS (GROUP / WIDTH)
#define COUNT_BITS (32 - TAG_BITS)
#define COUNT_MASK ((1u << COUNT_BITS) - 1u)

// All lanes of a warp come here together; those that are not `left` to count go along.
INLINE void count_tagged(volatile LOCAL uint* own, uint bin, uint tag, uint left) {
#if PTX
    do {
        const uint mine = ((own[bin] & COUNT_MASK) + 1u) | tag;
        warp_barrier();
        if (left != 0) own[bin] = mine;
        warp_barrier();
        if (own[bin] == mine) left = 0;
        warp_barrier();
    } while (warp_ballot(left) != 0);
#else
    while (left != 0) {
        const uint mine = ((own[bin] & COUNT_MASK) + 1u) | tag;
        own[bin] = mine;
        if (own[bin] == mine) left = 0;
    }
#endif
}

// histogram[256] is 0 before; count: pixels, fewer than 2^COUNT_BITS a warp.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void histogram_tagged(GLOBAL const uchar* RESTRICT image, GLOBAL uint* RESTRICT histogram, ulong64 count) {
    LOCAL_ARRAY(volatile uint, counts, WARPS * BINS);
    const uint item = (uint)get_local_id(0), tag = item % WIDTH << COUNT_BITS;
    volatile LOCAL uint* const own = counts + item / WIDTH * BINS;
    for (uint i = item; i < WARPS * BINS; i += GROUP) counts[i] = 0;
    BARRIER_LOCAL();
    GLOBAL const uint* const words = (GLOBAL const uint*)image;
    const ulong64 total = count / 4;
    for (ulong64 first = get_group_id(0) * GROUP; first < total; first += (ulong64)get_num_groups(0) * GROUP) {
        const uint here = first + item < total, word = here ? words[first + item] : 0;
        for (uint k = 0; k < 4; ++k) count_tagged(own, word >> (8 * k) & 0xffu, tag, here);
    }
    if (get_group_id(0) == 0 && item < WIDTH) {   // what no word holds: fewer than 4 pixels
        const ulong64 i = total * 4 + item;
        count_tagged(own, i < count ? image[i] : 0, tag, i < count);
    }
    BARRIER_LOCAL();
    for (uint bin = item; bin < BINS; bin += GROUP) {
        uint sum = 0;
        for (uint warp = 0; warp < WARPS; ++warp) sum += counts[warp * BINS + bin] & COUNT_MASK;
        if (sum != 0) atomic_add(&histogram[bin], sum);
    }
}
