// Half spectra of FFT_N / 2 + 1 -> real rows of FFT_N, with the factor `scale`, two rows a complex line (two_rows.clh). Each
// number is read twice, at k and at N - k: the second time from the cache.
#include "prelude/prelude.clh"
#include "fft/stockham.clh"
#include "fft/two_rows.clh"

#define HALF (FFT_N / 2 + 1)

// Z[i], from what is stored of A and B.
INLINE float2 joined(GLOBAL const float2 *spectra, int i, int has_a, int has_b) {
    const int k = i < HALF ? i : FFT_N - i;
    const float2 a = has_a ? spectra[k] : make_float2(0.0f, 0.0f), b = has_b ? spectra[HALF + k] : make_float2(0.0f, 0.0f);
    if (i == 0 || 2 * i == FFT_N) return make_float2(a.x, b.x);
    return i < HALF ? joined_two(a, b) : joined_two_mirrored(a, b);
}

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void real_rows_inverse(GLOBAL const float2 *RESTRICT in, GLOBAL float *RESTRICT out, GLOBAL const float2 *RESTRICT twiddles,
                       ulong64 rows, float scale) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    const int item = (int)get_local_id(0) % FFT_ITEMS, line = (int)get_local_id(0) / FFT_ITEMS;
    const ulong64 row = 2 * ((ulong64)get_group_id(0) * FFT_LINES + line);
    const int has_a = row < rows, has_b = row + 1 < rows;
    in += has_a ? row * HALF : 0;
    out += has_a ? row * FFT_N : 0;

#define FFT_AT(p) (line * FFT_PADDED + (p))
#define FFT_LOAD(i, value) value = joined(in, i, has_a, has_b)
#define FFT_STORE(i, value) { \
    if (has_a) out[i] = value.x * scale; \
    if (has_b) out[FFT_N + (i)] = value.y * scale; }
#define FFT_INVERSE 1
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#include "fft/stockham_core.clh"
}
