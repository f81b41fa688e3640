// Rows of FFT_N complex numbers, one after the other in memory: forward, or inverse with its factor.
// A work-group holds FFT_LINES whole rows in registers and reads them before it writes: in == out is safe.
//   work-item = line * FFT_ITEMS + item: neighbours read neighbouring points
// PTX 1: rows are read past the cache (axis.hpp); results depend on all of a row, so that none is written before it is read.
// inverse: the forward transform stored backwards, out[(N - i) mod N], so that one program serves both directions.
// Source: Stockham autosort (Cochran 1967); Govindaraju et al. 2008 for the shape on GPUs.
#include "prelude/prelude.clh"
#define FFT_ALIASED 1
#include "fft/stockham.clh"
#include "prelude/cache.clh"

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void stockham_rows(GLOBAL const float2 *in, GLOBAL float2 *out, GLOBAL const float2 *RESTRICT twiddles, ulong64 rows,
                   int inverse, float scale) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    const int item = (int)get_local_id(0) % FFT_ITEMS, line = (int)get_local_id(0) / FFT_ITEMS;
    const ulong64 row = (ulong64)get_group_id(0) * FFT_LINES + line;
    const int there = row < rows;
    in += there ? row * FFT_N : 0;
    out += there ? row * FFT_N : 0;

#define FFT_AT(p) (line * FFT_PADDED + (p))
#define FFT_LOAD(i, value) value = there ? load_streaming(in + (i)) : make_float2(0.0f, 0.0f)
#define FFT_STORE(i, value) \
    if (there) out[inverse ? ((i) == 0 ? 0 : FFT_N - (i)) : (i)] = make_float2(value.x * scale, value.y * scale)
// The same: a butterfly's points lie a fixed distance apart.
#define FFT_STORE_AT(j, r, count, value)                                                                          \
    if (there) (out + (inverse ? ((r) == 0 && (j) == 0 ? 0 : FFT_N - (j)) : (j)))[(r) * (inverse ? -(count) : (count))] = \
        make_float2(value.x * scale, value.y * scale)
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#include "fft/stockham_core.clh"
}
