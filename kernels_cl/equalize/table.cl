// Histogram -> cumulative sums -> what each level becomes. A work-group makes BLOCK levels of a channel and adds up what stands
// before them by itself, so that one launch does.
//   opencv    i0 the first level that occurs: (cdf(v) - h[i0]) * scale in f32 to the nearest, half to even, with
//             scale = (LEVELS - 1) / (N - h[i0]) in f32: OpenCV's equalizeHist, bit for bit. One level alone stays as it is
//   classic   floor((LEVELS - 1) cdf(v) / N + 1/2), exactly
//   skimage   cdf(v) / N, the nearest f32
// Each N at most 2^32 - 1.
#include "prelude/prelude.clh"
#include "common/quotient.clh"

#ifndef LEVELS             // 256 or 65536
#define LEVELS 256
#endif
#ifndef BLOCK              // levels of a work-group, a multiple of GROUP and of 4 that divides LEVELS
#define BLOCK LEVELS
#endif
#define FORMULA_OPENCV 0
#define FORMULA_CLASSIC 1
#define FORMULA_SKIMAGE 2
#ifndef FORMULA            // as above
#define FORMULA FORMULA_OPENCV
#endif
#ifndef OUTPUT             // uchar or ushort; float for skimage
#define OUTPUT uchar
#endif
#ifndef GROUP              // a power of two; 1 for CPUs
#define GROUP 256
#endif
#define SPAN (BLOCK / GROUP)

// pixels: of a channel. Groups: axis 0 blocks of levels, axis 1 channels.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void equalize_table(GLOBAL const uint* RESTRICT histogram, GLOBAL OUTPUT* RESTRICT table, uint pixels) {
    LOCAL_ARRAY(uint, sums, GROUP);        // of the items' levels, then of all up to an item's
    LOCAL_ARRAY(uint, before, GROUP);      // of what stands before the block
    LOCAL_ARRAY(uint, lowest, 1);          // the first level that occurs
    const uint item = (uint)get_local_id(0), block = (uint)get_group_id(0) * BLOCK, first = block + item * SPAN;
    GLOBAL const uint* h = histogram + (uint)get_group_id(1) * LEVELS;
    GLOBAL OUTPUT* out = table + (uint)get_group_id(1) * LEVELS;

    uint left = 0, own = 0, found = LEVELS;
    for (uint i = item; i < block / 4; i += GROUP) {
        const uint4 n = ((GLOBAL const uint4*)h)[i];
        left += n.x + n.y + n.z + n.w;
        if (found == LEVELS && left != 0) found = 4 * i + (n.x != 0 ? 0 : n.y != 0 ? 1 : n.z != 0 ? 2 : 3);
    }
    for (uint i = first; i < first + SPAN; ++i) {
        const uint n = h[i];
        own += n;
        if (n != 0 && found == LEVELS) found = i;
    }
    sums[item] = own;
    before[item] = left;
    if (item == 0) lowest[0] = LEVELS;
    BARRIER_LOCAL();
    if (found != LEVELS) atomic_min(&lowest[0], found);
    for (uint step = 1; step < GROUP; step *= 2) {
        const uint add = item >= step ? sums[item - step] : 0, join = item + step < GROUP ? before[item + step] : 0;
        BARRIER_LOCAL();   // all have read before any writes
        sums[item] += add;
        before[item] += join;
        BARRIER_LOCAL();
    }
    uint cdf = before[0] + sums[item] - own;
#if FORMULA == FORMULA_OPENCV
    const uint least = lowest[0] == LEVELS ? 0 : h[lowest[0]];
    const float scale = least == pixels ? 0.0f : quotient(LEVELS - 1, (ulong64)(float)(pixels - least));
#endif
    for (uint i = first; i < first + SPAN; ++i) {
        cdf += h[i];
#if FORMULA == FORMULA_OPENCV
        const float level = cdf <= least ? 0.0f : rint((float)(cdf - least) * scale);
        out[i] = least == pixels ? (OUTPUT)i : (OUTPUT)min((uint)level, (uint)(LEVELS - 1));
#elif FORMULA == FORMULA_CLASSIC
        const ulong64 level = ((ulong64)2 * (LEVELS - 1) * cdf + pixels) / ((ulong64)2 * pixels);
        out[i] = (OUTPUT)level;
#else
        out[i] = (OUTPUT)quotient(cdf, pixels);
#endif
    }
}
