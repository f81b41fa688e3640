// Histogram -> the level that parts it best into a lower and an upper class (Otsu 1979): the variance between classes
//   w (N - w) (s / w - (S - s) / (N - w))^2 = (s N - S w)^2 / (w (N - w))
// with w the number of elements up to a level, s the sum of their levels, N and S those of all, is largest; of equals the lowest
// level. Fractions are compared by cross multiplication in integers of 224 bits where f32 cannot tell: the answer is exact.
// One work-group.
#include "prelude/prelude.clh"

#ifndef BINS               // up to 65536
#define BINS 256
#endif
#ifndef GROUP              // a power of two that divides BINS; 1 for CPUs
#define GROUP 256
#endif
#ifndef CENTRES            // 1: the threshold is the centre of a bin, f32; 0: a level
#define CENTRES 0
#endif
#define SPAN (BINS / GROUP)

// a * b in 32-bit limbs, lowest first; out has an + bn of them.
INLINE void multiply(const uint* a, int an, const uint* b, int bn, uint* out) {
    for (int i = 0; i < an + bn; ++i) out[i] = 0;
    for (int i = 0; i < an; ++i) {
        ulong64 carry = 0;
        for (int k = 0; k < bn; ++k) {
            carry += (ulong64)a[i] * b[k] + out[i + k];
            out[i + k] = (uint)carry;
            carry >>= 32;
        }
        out[i + bn] = (uint)carry;
    }
}

// |s N - S w|
INLINE void difference(ulong64 s, uint n, ulong64 sum, uint w, uint* out) {
    uint a[3], b[3];
    const uint s_limbs[2] = {(uint)s, (uint)(s >> 32)}, sum_limbs[2] = {(uint)sum, (uint)(sum >> 32)};
    multiply(s_limbs, 2, &n, 1, a);
    multiply(sum_limbs, 2, &w, 1, b);
    int larger = 0;   // of a and b: 1 or -1
    for (int i = 2; i >= 0 && larger == 0; --i) larger = a[i] > b[i] ? 1 : a[i] < b[i] ? -1 : 0;
    uint borrow = 0;
    for (int i = 0; i < 3; ++i) {
        const uint from = larger >= 0 ? a[i] : b[i], take = larger >= 0 ? b[i] : a[i];
        out[i] = from - take - borrow;
        borrow = (ulong64)from < (ulong64)take + borrow ? 1u : 0u;
    }
}

// Is the variance at (w, s) larger (1), smaller (-1) or the same (0) as that at (v, t)?
INLINE int compare(uint w, ulong64 s, uint v, ulong64 t, uint n, ulong64 sum) {
    uint a[3], b[3];
    difference(s, n, sum, w, a);
    difference(t, n, sum, v, b);
    const ulong64 over_a = (ulong64)w * (n - w), over_b = (ulong64)v * (n - v);
    const float root_a = ((float)a[2] * 0x1.0p24f + (float)a[1] * 0x1.0p-8f) + (float)a[0] * 0x1.0p-40f;
    const float root_b = ((float)b[2] * 0x1.0p24f + (float)b[1] * 0x1.0p-8f) + (float)b[0] * 0x1.0p-40f;
    const float about_a = root_a * root_a / (float)over_a, about_b = root_b * root_b / (float)over_b;
    if (about_a > about_b * 1.0001f) return 1;
    if (about_b > about_a * 1.0001f) return -1;
    uint square[6], left[8], right[8];
    const uint limbs_a[2] = {(uint)over_a, (uint)(over_a >> 32)}, limbs_b[2] = {(uint)over_b, (uint)(over_b >> 32)};
    multiply(a, 3, a, 3, square);
    multiply(square, 6, limbs_b, 2, left);
    multiply(b, 3, b, 3, square);
    multiply(square, 6, limbs_a, 2, right);
    for (int i = 7; i >= 0; --i)
        if (left[i] != right[i]) return left[i] > right[i] ? 1 : -1;
    return 0;
}

#if CENTRES
#define THRESHOLD float
#else
#define THRESHOLD long64
#endif

// edges: of the bins, read for centres only. No more than 2^32 - 1 elements.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void otsu(GLOBAL const uint* RESTRICT histogram, GLOBAL const float* RESTRICT edges, GLOBAL THRESHOLD* RESTRICT threshold) {
    LOCAL_ARRAY(uint, counts, GROUP);      // sums up to an item's levels; then w, s and the level of the best one
    LOCAL_ARRAY(ulong64, sums, GROUP);
    LOCAL_ARRAY(uint, levels, GROUP);
    const uint item = (uint)get_local_id(0), first = item * SPAN;
    uint own = 0;
    ulong64 own_sum = 0;
    for (uint i = first; i < first + SPAN; ++i) {
        own += histogram[i];
        own_sum += (ulong64)i * histogram[i];
    }
    counts[item] = own;
    sums[item] = own_sum;
    BARRIER_LOCAL();
    for (uint step = 1; step < GROUP; step *= 2) {
        const uint left = item >= step ? counts[item - step] : 0;
        const ulong64 left_sum = item >= step ? sums[item - step] : 0;
        BARRIER_LOCAL();
        counts[item] += left;
        sums[item] += left_sum;
        BARRIER_LOCAL();
    }
    const uint n = counts[GROUP - 1];
    const ulong64 sum = sums[GROUP - 1];
    uint w = counts[item] - own, best = 0, best_level = BINS;
    ulong64 s = sums[item] - own_sum, best_sum = 0;
    BARRIER_LOCAL();   // all have read
    for (uint i = first; i < first + SPAN; ++i) {
        const uint here = histogram[i];
        w += here;
        s += (ulong64)i * here;
        if (here == 0) continue;             // the same classes as before
        if (best_level == BINS || (w != n && compare(w, s, best, best_sum, n, sum) > 0)) {
            best = w;
            best_sum = s;
            best_level = i;
        }
    }
    // The last level that occurs (w = n) parts nothing off: it is the answer only where it is alone.
    counts[item] = best;
    sums[item] = best_sum;
    levels[item] = best_level;
    BARRIER_LOCAL();
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (item < step && levels[item + step] != BINS) {
            const uint other = item + step;
            int take = levels[item] == BINS ? 1
                     : counts[other] == n   ? -1
                     : counts[item] == n    ? 1
                                            : compare(counts[other], sums[other], counts[item], sums[item], n, sum);
            if (take == 0) take = levels[other] < levels[item] ? 1 : -1;
            if (take > 0) {
                counts[item] = counts[other];
                sums[item] = sums[other];
                levels[item] = levels[other];
            }
        }
        BARRIER_LOCAL();
    }
    if (item != 0) return;
    const uint level = levels[0] == BINS ? 0 : levels[0];
#if CENTRES
    threshold[0] = (edges[level] + edges[level + 1]) * 0.5f;
#else
    threshold[0] = (long64)level;
#endif
}
