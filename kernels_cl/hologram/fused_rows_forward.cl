// First pass of the fused reconstruction: real rows -> half spectrum, two rows a complex line (fft/two_rows.clh).
// Camera frames are read as they are, background and dark included: the real image is never written.
//   in   rows x FRAME of any real type          out  columns 0 to FFT_N/2 in tiles (fused_tiles.clh)
// FRAME below FFT_N: the frame is padded. Zeros stand beyond it; MEAN 1: the mean does, and is taken off the whole plane, of
// which then only the rows of the frame are left (fused_columns.cl puts it back).
// MIRRORED: real rows -> their cosine transforms (mirror.clh), all FFT_N columns of them, floats in tiles, the rows in the order
// in which columns are transformed (mirror_place()).
#include "prelude/prelude.clh"
#include "fft/stockham.clh"
#include "fft/two_rows.clh"
#include "hologram/camera.clh"
#include "hologram/fused_tiles.clh"
#include "fft/mirror.clh"

#ifndef MIRRORED           // 1: cosine transforms
#define MIRRORED 0
#endif
#ifndef FRAME              // columns of the frame
#define FRAME FFT_N
#endif
#ifndef MEAN               // 1: mean[0] stands around the frame
#define MEAN 0
#endif
#if MIRRORED
#define SPECTRUM float
#define POINT(i) mirror_point((uint)(i), FFT_N)
#define ROW(place) mirror_point((place), rows)
#else
#define SPECTRUM float2
#define POINT(i) (i)
#define ROW(place) (place)
#endif

// Where a point goes.
#if FFT_RADER == FFT_N
#define PLACE tiled((uint)i, place, rows)
#else
#define PLACE TILED_ON(j, r, FFT_APART, place, rows)
#endif

#define MIRROR(i) ((i) == 0 ? 0 : FFT_N - (i))

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void rows_forward(GLOBAL const HOLOGRAM_TYPE* RESTRICT hologram, GLOBAL const BACKGROUND_TYPE* RESTRICT background,
                  GLOBAL const DARK_TYPE* RESTRICT dark, GLOBAL SPECTRUM* RESTRICT out, GLOBAL const float2* RESTRICT twiddles,
                  GLOBAL const float2* RESTRICT quarters, GLOBAL const float* RESTRICT mean, uint rows) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    float2 m[FFT_REGISTERS];                                       // Z(N - k) beside Z(k)
    const int item = (int)get_local_id(0) % FFT_ITEMS, line = (int)get_local_id(0) / FFT_ITEMS;
    // The two rows of a line are written side by side.
    const uint place = 2u * ((uint)get_group_id(0) * FFT_LINES + (uint)line);
    const int first = place < rows, second = place + 1u < rows;
    const ulong64 one = (ulong64)ROW(place) * FRAME, other = (ulong64)ROW(place + 1u) * FRAME;
    const float around = MEAN ? mean[0] : 0.0f;

#define FFT_AT(p) (line * FFT_PADDED + (p))
#define IN_FRAME(i) (FRAME == FFT_N || (i) < FRAME)
#define PIXEL(at) (normalised(hologram, background, dark, at) - around)
#define PIXEL_OF(row, i) PIXEL((row) + POINT(i))
#define FFT_LOAD(i, value) value = make_float2(first && IN_FRAME(i) ? PIXEL_OF(one, i) : 0.0f, \
                                               second && IN_FRAME(i) ? PIXEL_OF(other, i) : 0.0f)
#if MIRRORED
// The same: a butterfly's points are fixed distances apart, up the even pixels and down the odd ones.
#define EVENS ((FFT_N + 1) / 2)
#define BOTH_OF(at) make_float2(first ? PIXEL(one + (at)) : 0.0f, second ? PIXEL(other + (at)) : 0.0f)
#define UP(j, r, count) BOTH_OF(2u * (ulong64)(j) + 2u * (r) * (count))
#define DOWN(j, r, count) BOTH_OF((2u * FFT_N - 1u - 2u * (ulong64)(j)) - 2u * (r) * (count))
#define FFT_LOAD_AT(j, r, count, value)                          \
    if (((r) + 1) * (count) <= EVENS) value = UP(j, r, count);   \
    else if ((r) * (count) >= EVENS) value = DOWN(j, r, count);  \
    else FFT_LOAD((j) + (r) * (count), value)
#endif
#define FFT_STORE(i, value)
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#include "fft/stockham_core.clh"

    // v[round * FFT_LAST + r] is point item + round * FFT_ITEMS + r * LAST_COUNT: mirrored through local memory, part by part.
    BARRIER_LOCAL();
    FFT_FOR_EACH_POINT(exchange[FFT_AT(i)] = v[k].x;)
    BARRIER_LOCAL();
    FFT_FOR_EACH_POINT(m[k].x = exchange[FFT_AT(MIRROR(i))];)
    BARRIER_LOCAL();
    FFT_FOR_EACH_POINT(exchange[FFT_AT(i)] = v[k].y;)
    BARRIER_LOCAL();
    FFT_FOR_EACH_POINT(m[k].y = exchange[FFT_AT(MIRROR(i))];)

#if MIRRORED
    FFT_FOR_EACH_POINT(
        const float2 c = mirror_cosine(v[k], m[k], quarters[i]);
        const uint to = PLACE;
        if (first) out[to] = c.x;
        if (second) out[to + TILE] = c.y;)
#else
    FFT_FOR_EACH_POINT(
        if (i <= FFT_N / 2) {
            const uint to = PLACE;
            if (first) out[to] = first_of_two(v[k], m[k]);
            if (second) out[to + TILE] = second_of_two(v[k], m[k]);
        })
#endif
}
