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
    const uint p = there ? (uint)((FFT_INDEX)j / (FFT_INDEX)width) : 0;
    work += there ? image * lines * FFT_N + j : 0;

#define CONVOLVE_LOAD(i, value) value = there ? complex_multiply(work[(i) * lines], turns[AT(i)]) : make_float2(0.0f, 0.0f)
#define CONVOLVE_WITH(i) filter[AT(i)]
#define CONVOLVE_STORE(i, value) if (there) work[(i) * lines] = complex_multiply(value, complex_conjugate(turns[AT(i)]))
#include "fft/convolve.clh"
}
