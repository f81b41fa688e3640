// Bluestein's transform (see bluestein_line.cl) where the convolution is longer than a work-group can hold, M = A B points: three
// passes over memory, the first and the last of which are here, transforms of A = FFT_N points. With points y = b + a B and
// frequencies f = p + q A (a, p < A; b, q < B):
//   bluestein_first    for each b: x[y] c[y], nought from n on, transformed along a
//   bluestein_middle   for each p: along b, times the filter, and back (bluestein_middle.cl)
//   bluestein_last     for each b: transformed back along p, times c[y]
// Between them stands a slab of lines in `work`, [images][B][A][width]. A work-group takes FFT_LINES neighbouring lines, lines
// of all x for one b lying side by side.
//   Point y of line x of image s is at origin + s * image_stride + y * point_stride + x of the caller's array.
#include "prelude/prelude.clh"
#define FFT_INTERLEAVED (FFT_LINES > 1)
#include "fft/stockham.clh"
#include "fft/columns.clh"

#define PLACE                                                                             \
    const ulong64 lines = apart * width;                                                  \
    FFT_COLUMN(images, lines)                                                             \
    const uint b = (uint)((FFT_INDEX)j / (FFT_INDEX)width);                               \
    const ulong64 x = j - b * width, outside = there ? origin + image * image_stride + x : 0; \
    const ulong64 inside = there ? (image * lines + b * width) * FFT_N + x : 0;

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void bluestein_first(GLOBAL const float2 *RESTRICT in, GLOBAL float2 *RESTRICT work, GLOBAL const float2 *RESTRICT twiddles,
                     GLOBAL const float2 *RESTRICT chirp, ulong64 origin, ulong64 image_stride, ulong64 point_stride,
                     ulong64 images, ulong64 width, uint n, uint apart) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    PLACE
    in += outside;
    work += inside;
#define FFT_LOAD(i, value) {                                                                            \
    const uint y = b + (uint)(i) * apart;                                                               \
    value = there && y < n ? complex_multiply(in[y * point_stride], chirp[y]) : make_float2(0.0f, 0.0f); }
#define FFT_STORE(i, value) if (there) work[(i) * width] = value
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#include "fft/stockham_core.clh"
}

/// inverse: the forward transform stored backwards, at (n - y) mod n.
KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void bluestein_last(GLOBAL const float2 *RESTRICT work, GLOBAL float2 *RESTRICT out, GLOBAL const float2 *RESTRICT twiddles,
                    GLOBAL const float2 *RESTRICT chirp, ulong64 origin, ulong64 image_stride, ulong64 point_stride,
                    ulong64 images, ulong64 width, uint n, uint apart, int inverse, float scale) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    PLACE
    work += inside;
    out += outside;
#define FFT_LOAD(i, value) value = there ? work[(i) * width] : make_float2(0.0f, 0.0f)
#define FFT_STORE(i, value) {                                                                           \
    const uint y = b + (uint)(i) * apart;                                                               \
    if (there && y < n) {                                                                               \
        const float2 result = complex_multiply(value, chirp[y]);                                        \
        out[(inverse && y != 0 ? n - y : y) * point_stride] = make_float2(result.x * scale, result.y * scale); \
    } }
#define FFT_INVERSE 1
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#include "fft/stockham_core.clh"
}
