// Real rows of FFT_N -> half spectra of FFT_N / 2 + 1, two rows a complex line (two_rows.clh). Z goes through local memory once
// more so that each work-item sees k and N - k. An odd last row is paired with zeros.
#include "prelude/prelude.clh"
#include "fft/stockham.clh"

#define HALF (FFT_N / 2 + 1)
#define HELD ((HALF + FFT_ITEMS - 1) / FFT_ITEMS)   // outputs k = item + q * FFT_ITEMS of a work-item

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void real_rows_forward(GLOBAL const float *RESTRICT in, GLOBAL float2 *RESTRICT out, GLOBAL const float2 *RESTRICT twiddles,
                       ulong64 rows) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS], a[HELD], b[HELD];
    const int item = (int)get_local_id(0) % FFT_ITEMS, line = (int)get_local_id(0) / FFT_ITEMS;
    const ulong64 row = 2 * ((ulong64)get_group_id(0) * FFT_LINES + line);
    const int has_a = row < rows, has_b = row + 1 < rows;
    in += has_a ? row * FFT_N : 0;

#define FFT_AT(p) (line * FFT_PADDED + (p))
#define FFT_LOAD(i, value) value = make_float2(has_a ? in[i] : 0.0f, has_b ? in[FFT_N + (i)] : 0.0f)
#define FFT_STORE(i, value)
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#include "fft/stockham_core.clh"

    // Real parts, then imaginary parts: one plane of local memory is enough for both.
#pragma unroll
    for (int part = 0; part < 2; ++part) {
        BARRIER_LOCAL();
        FFT_FOR_EACH_POINT(exchange[FFT_AT(i)] = part == 0 ? v[k].x : v[k].y;)
        BARRIER_LOCAL();
#pragma unroll
        for (int q = 0; q < HELD; ++q) {
            const int k = item + q * FFT_ITEMS;
            if (k < HALF) {
                const float here = exchange[FFT_AT(k)], mirrored = exchange[FFT_AT(k == 0 ? 0 : FFT_N - k)];
                if (part == 0) {
                    a[q].x = 0.5f * (here + mirrored);
                    b[q].y = 0.5f * (mirrored - here);
                } else {
                    a[q].y = 0.5f * (here - mirrored);
                    b[q].x = 0.5f * (here + mirrored);
                }
            }
        }
    }
    out += has_a ? row * HALF : 0;
#pragma unroll
    for (int q = 0; q < HELD; ++q) {
        const int k = item + q * FFT_ITEMS;
        if (has_a && k < HALF) out[k] = a[q];
        if (has_b && k < HALF) out[HALF + k] = b[q];
    }
}
