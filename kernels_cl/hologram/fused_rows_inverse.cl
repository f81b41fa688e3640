// Third pass of the fused reconstruction: a row of U is transformed back and stored as what was asked for, cropped.
//   plus, minus   U(kx) and U(-kx), 0 <= kx <= width/2, in tiles (fused_columns.cl, fused_tiles.clh)
//   out           height x width, any of amplitude, phase, intensity, field
// get_group_id(1) = plane of a batch; plus and minus hold them `stride` numbers apart, out without a gap from `offset` on.
// FFT_NEIGHBOURS: of a mirrored row two pixels are stored at once.
#include "prelude/prelude.clh"
#include "fft/stockham.clh"
#include "hologram/fused_tiles.clh"
#include "fft/mirror.clh"
#include "hologram/planes.clh"
#include "prelude/cache.clh"

#ifndef MIRRORED           // 1: plus is the cosine spectrum of a row, minus is not read, FFT_PAIRS is 1, the radices go backwards
#define MIRRORED 0
#endif

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1) void rows_inverse(GLOBAL const float2* RESTRICT plus, GLOBAL const float2* RESTRICT minus,
                                                         GLOBAL float* amplitude, GLOBAL float* phase, GLOBAL float* intensity,
                                                         GLOBAL float2* field, GLOBAL const float2* RESTRICT twiddles,
                                                         GLOBAL const float2* RESTRICT quarters, uint width, uint height,
                                                         uint rows, float factor, ulong64 offset, ulong64 stride) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    const int item = (int)get_local_id(0) % FFT_ITEMS, line = (int)get_local_id(0) / FFT_ITEMS;
    const uint y = (uint)get_group_id(0) * FFT_LINES + (uint)line;
    const int there = y < height;
    const uint row = there ? y : 0u;
    const ulong64 plane = get_group_id(1), start = offset + (plane * height + y) * width;
    plus += plane * stride;
    minus += plane * stride;

#define FFT_AT(p) (line * FFT_PADDED + (p))
#if MIRRORED
    float2 x[FFT_REGISTERS];
    const uint from = mirror_place(row, rows);
    FFT_FOR_EACH_POINT(x[k] = load_streaming(plus + MIRROR_TILED_ON(j, r, FFT_APART, from, rows));)
    FFT_FOR_EACH_POINT(
        const float2 opposite = FFT_OPPOSITE(x);
        const float2 half_turn = mirror_turned(make_float2(0.5f * quarters[j].x, 0.5f * quarters[j].y), r);
        v[k] = mirror_spectrum(x[k], i == 0 ? make_float2(0.0f, 0.0f) : opposite, half_turn);)
#define FFT_LOAD(i, value)
#define POINT(i) mirror_point((uint)(i), FFT_N)
#else
#define FFT_LOAD(i, value) \
    value = load_streaming((i) <= FFT_N / 2 ? plus + tiled((uint)(i), row, rows) : minus + tiled((uint)(FFT_N - (i)), row, rows))
// The same: for most r the compiler knows from which of both.
#define OF_PLUS(j, r, count) (plus + TILED_ON(j, r, count, row, rows))
#define OF_MINUS(j, r, count) (minus + TILED_BACK(FFT_N - (j), r, count, row, rows))
#define FFT_LOAD_AT(j, r, count, value)                                               \
    value = load_streaming(((r) + 1) * (count) <= FFT_N / 2 + 1 ? OF_PLUS(j, r, count)  \
                           : (r) * (count) > FFT_N / 2          ? OF_MINUS(j, r, count) \
                           : (j) + (r) * (count) <= FFT_N / 2   ? OF_PLUS(j, r, count)  \
                                                                : OF_MINUS(j, r, count))
#define POINT(i) ((uint)(i))
#endif
#if FFT_NEIGHBOURS
#define FFT_STORE(i, value)
#else
#define FFT_STORE(i, value)                                                         \
    if (there && POINT(i) < width)                                                  \
        store_planes(amplitude, phase, intensity, field, start + (ulong64)POINT(i), \
                     make_float2(value.x * factor, value.y * factor));
#endif
#define FFT_INVERSE 1
#define FFT_REVERSED MIRRORED
#define FFT_EXCHANGE_BUSY 0
#include "fft/stockham_core.clh"
#if FFT_NEIGHBOURS
    if (there) {
        FFT_FOR_EACH_NEIGHBOURS(
            store_planes_pair(amplitude, phase, intensity, field, start + 2u * (uint)m,
                              make_float2(v[even].x * factor, v[even].y * factor),
                              make_float2(v[odd].x * factor, v[odd].y * factor));)
    }
#endif
}
