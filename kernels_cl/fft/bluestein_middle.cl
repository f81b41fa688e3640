// The middle pass of bluestein_ends.cl, in place on `work`, [images][B][A][width], B = FFT_N points a line: for each frequency p
// of the first pass its points b, turned by exp(-2 pi i b p / M), M = A B, are transformed; the spectrum's q, frequency p + q A,
// is multiplied by the filter there; and all goes back, the turn too.
#include "prelude/prelude.clh"
#define FFT_ALIASED 1
#define FFT_INTERLEAVED (FFT_LINES > 1)
#include "fft/stockham.clh"
#include "fft/columns.clh"

#define AT(i) (p + (uint)(i) * apart)

/// Both tables have the turn and the filter for p of point or frequency i at p + i A: neighbours read neighbours.
KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void bluestein_middle(GLOBAL float2 *work, GLOBAL const float2 *RESTRICT forward_twiddles,
                      GLOBAL const float2 *RESTRICT backward_twiddles, GLOBAL const float2 *RESTRICT filter,
                      GLOBAL const float2 *RESTRICT turns, ulong64 images, ulong64 width, uint apart) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    const ulong64 lines = apart * width;
    FFT_COLUMN(images, lines)
    const uint p = there ? (uint)(j / width) : 0;
    work += there ? image * lines * FFT_N + j : 0;

#define twiddles forward_twiddles
#define FFT_LOAD(i, value) value = there ? complex_multiply(work[(i) * lines], turns[AT(i)]) : make_float2(0.0f, 0.0f)
#define FFT_STORE(i, value) value = complex_multiply(value, filter[AT(i)])
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#include "fft/stockham_core.clh"

#undef twiddles
#define twiddles backward_twiddles
#define FFT_LOAD(i, value)
#define FFT_STORE(i, value) if (there) work[(i) * lines] = complex_multiply(value, complex_conjugate(turns[AT(i)]))
#define FFT_INVERSE 1
#define FFT_REVERSED 1
#define FFT_EXCHANGE_BUSY 1
#include "fft/stockham_core.clh"
}
