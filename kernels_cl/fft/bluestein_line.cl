// Lines of any length n, also a large prime: a convolution with a chirp by two transforms of FFT_N >= 2n - 1 points
// that fit one work-group, in one kernel; the line never leaves registers and local memory between them.
//   c[i] = exp(-i pi i^2 / n);   X[k] = c[k] sum_i (x[i] c[i]) conj c[k - i]
// filter is the spectrum of the wrapped conj c, divided by FFT_N. Whole lines are read before they are written: in ==
// out is safe. Array: [images][n][unit]; unit 1 is rows. inverse stores backwards, at (n - k) mod n.
// Source: Bluestein 1970.
#include "prelude/prelude.clh"
#define FFT_ALIASED 1

#ifndef BLUESTEIN_COLUMNS    // 1: neighbouring work-items take neighbouring lines, for unit > 1
#define BLUESTEIN_COLUMNS 0
#endif
#define FFT_INTERLEAVED (BLUESTEIN_COLUMNS && FFT_LINES > 1)
#include "fft/stockham.clh"

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void bluestein_line(GLOBAL const float2 *in, GLOBAL float2 *out, GLOBAL const float2 *RESTRICT forward_twiddles,
                    GLOBAL const float2 *RESTRICT backward_twiddles, GLOBAL const float2 *RESTRICT chirp,
                    GLOBAL const float2 *RESTRICT filter, ulong64 images, ulong64 unit, int n, int inverse, float scale) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
#if BLUESTEIN_COLUMNS
    const int line = (int)get_local_id(0) % FFT_LINES, item = (int)get_local_id(0) / FFT_LINES;
#define FFT_AT(p) FFT_BESIDE(p, line)
#else
    const int item = (int)get_local_id(0) % FFT_ITEMS, line = (int)get_local_id(0) / FFT_ITEMS;
#define FFT_AT(p) (line * FFT_PADDED + (p))
#endif
    const ulong64 global_line = (ulong64)get_group_id(0) * FFT_LINES + line;
    const ulong64 image = global_line / unit;
    const int there = image < images;
    const ulong64 origin = there ? image * n * unit + global_line % unit : 0;
    in += origin;
    out += origin;

#define CONVOLVE_LOAD(i, value) value = there && (i) < n ? complex_multiply(in[(i) * unit], chirp[i]) : make_float2(0.0f, 0.0f)
#define CONVOLVE_WITH(i) filter[i]
#define CONVOLVE_STORE(i, value) \
    if (there && (i) < n) { \
        const float2 result = complex_multiply(value, chirp[i]); \
        out[(inverse && (i) != 0 ? n - (i) : (i)) * unit] = make_float2(result.x * scale, result.y * scale); \
    }
#include "fft/convolve.clh"
}
