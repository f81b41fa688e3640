// Lines of FFT_N complex numbers with a stride: columns of images, and the passes of transforms that are too long for
// one work-group. A work-group takes FFT_LINES neighbouring lines: FFT_LINES * 8 contiguous bytes at each point.
// An image is `lines` lines. Point i of line j is read at j + i * lines and written at
//   (j div span) * span * N + j mod span + i * span
// Columns of an image of width W: lines = span = W; then both are j + i W, and in == out is safe.
// Pass of a Stockham transform of length N * M along an axis with `unit` elements from point to point: lines = M unit,
// span = unit * product of the passes before, FFT_TWIDDLED 1 from the second pass on; in and out must differ.
// PTX 1, of a pass: its lines are read past the cache (axis.hpp).
// inverse: the last pass stores backwards along the axis, at (length - y) mod length.
#include "prelude/prelude.clh"
#define FFT_ALIASED 1
#define FFT_INTERLEAVED (FFT_LINES > 1)
#include "fft/stockham.clh"
#include "fft/columns.clh"
#include "prelude/cache.clh"

#ifndef FFT_WHOLE       // 1: a line is all of its axis
#define FFT_WHOLE 0
#endif
#ifndef FFT_TWIDDLED    // 1: points are multiplied by exp(-2 pi i r k / (span / unit * N)) when read, k the part done before
#define FFT_TWIDDLED 0
#endif
#ifndef FFT_COARSE      // 0: `fine` has all M turns
#define FFT_COARSE 1
#endif
#if FFT_WHOLE
#define GET(p) (*(p))   // in may be out
#else
#define GET(p) load_streaming(p)
#endif
#if FFT_COARSE
#define TURN(turn) complex_multiply(coarse[(turn) >> 13], fine[(turn) & 8191u])
#else
#define TURN(turn) fine[turn]
#endif

/// coarse[m] = exp(-2 pi i 8192 m / M), fine[m] = exp(-2 pi i m / M), fine has 8192, M = span / unit * N: exact tables.
KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void stockham_columns(GLOBAL const float2 *in, GLOBAL float2 *out, GLOBAL const float2 *RESTRICT twiddles,
                      GLOBAL const float2 *RESTRICT coarse, GLOBAL const float2 *RESTRICT fine, ulong64 images, ulong64 lines,
                      ulong64 span, uint unit, uint length, int inverse, float scale) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    FFT_COLUMN(images, lines)
    in += there ? image * lines * FFT_N + j : 0;
    out += there ? image * lines * FFT_N : 0;
    // Place of point 0 as (y, x) with y along the transformed axis; later points are span / unit further along y.
#if FFT_WHOLE
    const uint y = 0, x = (uint)j, step = 1, done = 0;
#else
    const uint step = (uint)((FFT_INDEX)span / unit), along = (uint)((FFT_INDEX)j / unit), x = (uint)(j - (ulong64)along * unit);
    const uint before = along / step * step, done = along - before, y = before * FFT_N + done;
#endif

#if FFT_TWIDDLED
#define FFT_LOAD(i, value) { \
    const uint turn = done * (uint)(i); \
    value = there ? GET(in + (i) * lines) : make_float2(0.0f, 0.0f); \
    value = complex_multiply(value, TURN(turn)); }
#else
#define FFT_LOAD(i, value) value = there ? GET(in + (i) * lines) : make_float2(0.0f, 0.0f)
#endif
#define FFT_STORE(i, value) { \
    const uint at = y + (uint)(i) * step; \
    if (there) out[(ulong64)(inverse && at != 0 ? length - at : at) * unit + x] = make_float2(value.x * scale, value.y * scale); }
// The same: a butterfly's points lie a fixed distance apart.
#if FFT_TWIDDLED
#define FFT_LOAD_AT(j, r, count, value) {                                                                     \
    const uint turn = done * (uint)(j) + (uint)(r) * (done * (count));                                        \
    value = there ? GET(in + (ulong64)(j) * lines + (ulong64)(r) * ((count) * lines)) : make_float2(0.0f, 0.0f);  \
    value = complex_multiply(value, TURN(turn)); }
#else
#define FFT_LOAD_AT(j, r, count, value) \
    value = there ? GET(in + (ulong64)(j) * lines + (ulong64)(r) * ((count) * lines)) : make_float2(0.0f, 0.0f)
#endif
#define FFT_STORE_AT(j, r, count, value) {                                                       \
    const uint at = y + (uint)(j) * step;                                                        \
    const long64 hop = (long64)((ulong64)((count) * step) * unit);                               \
    const uint from = inverse && !((r) == 0 && at == 0) ? length - at : at;                      \
    if (there) (out + (ulong64)from * unit + x)[(r) * (inverse ? -hop : hop)] =                  \
        make_float2(value.x * scale, value.y * scale); }
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#include "fft/stockham_core.clh"
}
