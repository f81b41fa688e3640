// The source paper's transform of powers of two: bit reversal, then log2 n launches of radix-2 butterflies, a work-item
// a butterfly, with the twiddles of a work-group in local memory. Kept as it was for comparison: it reads and writes the
// whole array in each of its stages. Array: [images][n][unit]; unit 1 is rows. Groups: x over columns and images, y along n.
// Stage `half`: butterfly b = (block, k), k = b mod half, takes points block * 2 half + k and half further.
// Source: Luo et al. 2021; Cooley and Tukey 1965.
#include "prelude/prelude.clh"
#include "common/complex.clh"

#ifndef SEED_ACROSS    // work-items over neighbouring columns
#define SEED_ACROSS 1
#endif
#ifndef SEED_ALONG     // work-items over butterflies, a power of two
#define SEED_ALONG 256
#endif

/// n = 2^bits. in_place: in and out are the same memory, pairs are exchanged.
KERNEL REQUIRED_GROUP(SEED_ACROSS, SEED_ALONG, 1)
void radix2_reverse(GLOBAL const float2 *in, GLOBAL float2 *out, ulong64 images, ulong64 unit, uint n, uint bits, int in_place) {
    const ulong64 groups = (unit + SEED_ACROSS - 1) / SEED_ACROSS;
    const ulong64 image = get_group_id(0) / groups, x = get_group_id(0) % groups * SEED_ACROSS + get_local_id(0);
    const uint i = (uint)get_global_id(1);
    if (image >= images || x >= unit || i >= n) return;
    uint reversed = 0;
    for (uint b = 0; b < bits; ++b) reversed |= (i >> b & 1u) << (bits - 1u - b);
    if (in_place && i > reversed) return;
    const ulong64 origin = image * n * unit + x, here = origin + i * unit, there = origin + reversed * unit;
    const float2 a = in[here], b = in[there];
    out[there] = a;
    if (in_place) out[here] = b;
}

/// roots[k] = exp(-2 pi i k / n), k < n / 2.
KERNEL REQUIRED_GROUP(SEED_ACROSS, SEED_ALONG, 1)
void radix2_butterflies(GLOBAL float2 *data, GLOBAL const float2 *RESTRICT roots, ulong64 images, ulong64 unit, uint n,
                      uint half_span, int inverse, float scale) {
    LOCAL_ARRAY(float2, twiddles, SEED_ALONG);
    const ulong64 groups = (unit + SEED_ACROSS - 1) / SEED_ACROSS;
    const ulong64 image = get_group_id(0) / groups, x = get_group_id(0) % groups * SEED_ACROSS + get_local_id(0);
    const uint row = (uint)get_local_id(1), b = (uint)get_global_id(1), k = b % half_span;
    if (get_local_id(0) == 0 && row < half_span) twiddles[row] = roots[k * (n / 2u / half_span)];
    BARRIER_LOCAL();
    if (image >= images || x >= unit || b >= n / 2u) return;
    // Where the stage's period is shorter than the work-group, its first twiddles serve all.
    float2 w = twiddles[row < half_span ? row : row % half_span];
    if (inverse) w = complex_conjugate(w);
    GLOBAL float2 *const p = data + image * n * unit + (ulong64)((b - k) * 2u + k) * unit + x;
    GLOBAL float2 *const q = p + half_span * unit;
    const float2 upper = *p, lower = complex_multiply(*q, w);
    *p = make_float2((upper.x + lower.x) * scale, (upper.y + lower.y) * scale);
    *q = make_float2((upper.x - lower.x) * scale, (upper.y - lower.y) * scale);
}
