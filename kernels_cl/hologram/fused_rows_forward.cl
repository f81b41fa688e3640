// First pass of the fused reconstruction: real rows -> half spectrum, two rows a complex line (fft/two_rows.clh).
// Camera frames are read as they are, background and dark included: the real image is never written.
//   in   rows x FFT_N of any real type          out  columns 0 to FFT_N/2 in tiles (fused_tiles.clh)
// FFT_PAIRS must be 1: Z(N - k) is wanted beside Z(k).
// MIRRORED: real rows -> their cosine transforms (mirror.clh), all FFT_N columns of them, floats in tiles, the rows in the order in
// which columns are transformed (mirror_place()). FFT_NEIGHBOURS: two pixels are read at once.
#include "prelude/prelude.clh"
#ifndef FFT_PAIRS
#define FFT_PAIRS 1
#endif
#include "fft/stockham.clh"
#include "fft/two_rows.clh"
#include "hologram/camera.clh"
#include "hologram/fused_tiles.clh"
#include "hologram/mirror.clh"

#ifndef MIRRORED           // 1: cosine transforms
#define MIRRORED 0
#endif
#if MIRRORED
#define SPECTRUM float
#define POINT(i) mirror_point((uint)(i), FFT_N)
#define PLACE(y) mirror_place((y), rows)
#else
#define SPECTRUM float2
#define POINT(i) (i)
#define PLACE(y) (y)
#endif

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void rows_forward(GLOBAL const HOLOGRAM_TYPE* RESTRICT hologram, GLOBAL const BACKGROUND_TYPE* RESTRICT background,
                  GLOBAL const DARK_TYPE* RESTRICT dark, GLOBAL SPECTRUM* RESTRICT out, GLOBAL const float2* RESTRICT twiddles,
                  GLOBAL const float2* RESTRICT quarters, uint rows) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    const int item = (int)get_local_id(0) % FFT_ITEMS, line = (int)get_local_id(0) / FFT_ITEMS;
    const uint row = 2u * ((uint)get_group_id(0) * FFT_LINES + (uint)line);
    const int first = row < rows, second = row + 1u < rows;
    const ulong64 start = (ulong64)row * FFT_N;

#define FFT_AT(p) (line * FFT_PADDED + (p))
#if FFT_NEIGHBOURS
    const float2 dark_row = make_float2(0.0f, 0.0f);
    FFT_FOR_EACH_NEIGHBOURS(
        const float2 a = first ? normalised_pair(hologram, background, dark, start + 2u * (uint)m) : dark_row;
        const float2 b = second ? normalised_pair(hologram, background, dark, start + FFT_N + 2u * (uint)m) : dark_row;
        v[even] = make_float2(a.x, b.x);
        v[odd] = make_float2(a.y, b.y);)
#define FFT_LOAD(i, value)
#else
#define FFT_LOAD(i, value) value = make_float2(first ? normalised(hologram, background, dark, start + POINT(i)) : 0.0f, \
                                               second ? normalised(hologram, background, dark, start + FFT_N + POINT(i)) : 0.0f)
#endif
#define FFT_STORE(i, value)
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#include "fft/stockham_core.clh"

#if MIRRORED
    FFT_FOR_EACH_POINT(
        const float2 c = mirror_cosine(v[k], FFT_OPPOSITE(v), quarters[i]);
        if (first) out[tiled((uint)i, PLACE(row), rows)] = c.x;
        if (second) out[tiled((uint)i, PLACE(row + 1u), rows)] = c.y;)
#else
    FFT_FOR_EACH_POINT(
        if (i <= FFT_N / 2) {
            if (first) out[tiled((uint)i, PLACE(row), rows)] = first_of_two(v[k], FFT_OPPOSITE(v));
            if (second) out[tiled((uint)i, PLACE(row + 1u), rows)] = second_of_two(v[k], FFT_OPPOSITE(v));
        })
#endif
}
