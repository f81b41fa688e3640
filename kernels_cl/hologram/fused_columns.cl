// Second pass of the fused reconstruction: a column of the half spectrum is transformed, multiplied by H and transformed
// back without leaving the work-group. H is even in kx and ky and h is real, so F Re(H) and F Im(H) are the spectra of
// two real images a and b with U = a + i b, and both columns of U come from one F:
//   U(kx) = A + i B,   U(-kx) = conj A + i conj B,   A and B the inverse transforms of F Re(H) and F Im(H) along y
//   in   kx <= width/2 in tiles (fused_tiles.clh)       plus, minus   the same shape: U(kx), U(-kx)
// KEPT below FFT_N: of a padded frame only its own rows are read and written; beyond them stand zeros, and what comes out there
// is cropped. MEAN 1: a constant was taken off the whole plane, which is one number of the spectrum.
// A work-group takes FFT_LINES neighbouring columns, a part of a tile; work-item = item * FFT_LINES + line.
#include "prelude/prelude.clh"
#include "fft/stockham.clh"
#include "hologram/propagate.clh"
// Two work-groups and more share a tile: the row passes want whole sectors of memory, and take 64 bytes faster than 32.
#define TILE (FFT_LINES > 1 ? 2 * FFT_LINES : 4)
#include "hologram/fused_tiles.clh"

#ifndef KEPT               // rows of the frame
#define KEPT FFT_N
#endif
#ifndef MEAN               // 1: mean[0] was taken off
#define MEAN 0
#endif
#define LAST_COUNT (FFT_N / FFT_LAST)
#define IS_KEPT(i) (KEPT == FFT_N || (i) < KEPT)

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void columns(GLOBAL const float2* RESTRICT in, GLOBAL float2* RESTRICT plus, GLOBAL float2* RESTRICT minus,
             GLOBAL const float2* RESTRICT forward_twiddles, GLOBAL const float2* RESTRICT inverse_twiddles,
             GLOBAL const float2* RESTRICT table, GLOBAL const ulong64* RESTRICT turns, GLOBAL const float4* RESTRICT scale,
             GLOBAL const float2* RESTRICT unit, GLOBAL const int2* RESTRICT limit, GLOBAL const uint* RESTRICT planes,
             GLOBAL const float* RESTRICT mean, uint slot, uint width) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    float2 w[FFT_REGISTERS];
    const int line = (int)get_local_id(0) % FFT_LINES, item = (int)get_local_id(0) / FFT_LINES;
    const uint x = (uint)get_group_id(0) * FFT_LINES + (uint)line;
    const int there = x <= width / 2u;

#define FFT_AT(p) ((p) * FFT_LINES + line)
#define FFT_LOAD(i, value) value = there && IS_KEPT(i) ? in[tiled(x, (uint)(i), KEPT)] : make_float2(0.0f, 0.0f)
#define FFT_STORE(i, value)
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#define twiddles forward_twiddles
#include "fft/stockham_core.clh"
#undef twiddles

    const uint plane = planes[slot];
    const float4 plane_scale = scale[plane];
    const float2 plane_unit = unit[plane];
    const int2 plane_limit = limit[plane];
#pragma unroll
    for (int round = 0; round < FFT_ROUNDS(FFT_LAST); ++round) {
        const int j = item + round * FFT_ITEMS;
        if (LAST_COUNT % FFT_ITEMS == 0 || j < LAST_COUNT) {
#pragma unroll
            for (int r = 0; r < FFT_LAST; ++r) {
                const int i = j + r * LAST_COUNT, k = round * FFT_LAST + r;
#if MEAN
                if (x == 0u && i == 0) v[k].x += mean[0] * (float)FFT_N * (float)width;
#endif
#if METHOD == METHOD_TABLE
                const int mirror = i <= FFT_N / 2 ? i : FFT_N - i;       // H is even: only half of the table is read
                const float2 h = there ? table[(ulong64)mirror * width + x] : make_float2(0.0f, 0.0f);
#else
                const float2 h = transfer_function_at((int)x, signed_index((uint)i, FFT_N), turns + 4 * plane, plane_scale,
                                                      plane_unit, plane_limit);
#endif
                w[k] = make_float2(v[k].x * h.y, v[k].y * h.y);
                v[k] = make_float2(v[k].x * h.x, v[k].y * h.x);
            }
        }
    }

#include "hologram/fused_back.clh"

    FFT_FOR_EACH_RESULT(inverse_twiddles,
        if (there && IS_KEPT(i)) {
            const ulong64 o = tiled(x, (uint)i, KEPT);
            plus[o] = make_float2(w[k].x - v[k].y, w[k].y + v[k].x);
            minus[o] = make_float2(w[k].x + v[k].y, v[k].x - w[k].y);
        })
}
