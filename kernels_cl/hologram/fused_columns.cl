// Second pass of the fused reconstruction: a column of the half spectrum is transformed, multiplied by H and transformed
// back without leaving the work-group. h is real and H even in kx and ky, so both columns of U come from one F:
//   U(kx) = inverse of F H,   U(-kx) = conjugate of the inverse of F conj H, along y
//   in   kx <= width/2 in tiles (fused_tiles.clh)       plus, minus   the same shape: U(kx), U(-kx)
// KEPT below FFT_N: of a padded frame only its own rows are read and written; beyond them stand zeros, and what comes out there
// is cropped. MEAN 1: a constant was taken off the whole plane, which is one number of the spectrum.
// STACK 1: a launch makes `count` planes from `slot` on, each `stride` numbers behind the one before; a work-group makes
// `together` of them from one F. get_group_id(1) says which.
// A work-group takes FFT_LINES neighbouring columns, a part of a tile; work-item = item * FFT_LINES + line.
#include "prelude/prelude.clh"
#define FFT_INTERLEAVED (FFT_LINES > 1)
#include "fft/stockham.clh"
#include "hologram/propagate.clh"
// Two work-groups and more share a tile: the row passes want whole sectors of memory, and take 64 bytes faster than 32.
#define TILE (FFT_LINES > 1 ? 2 * FFT_LINES : 4)
#include "hologram/fused_tiles.clh"
#if METHOD == METHOD_AXES
#include "hologram/axes.clh"
#endif

#ifndef KEPT               // rows of the frame
#define KEPT FFT_N
#endif
#ifndef MEAN               // 1: mean[0] was taken off
#define MEAN 0
#endif
#ifndef STACK              // 0: one plane, without a loop's cost in registers
#define STACK 0
#endif
#define IS_KEPT(i) (KEPT == FFT_N || (i) < KEPT)

// H at column x and point i. It is even: of tables only half is read.
#if METHOD != METHOD_AXES && METHOD != METHOD_TILES
INLINE float2 transfer_of(uint x, int i, int there, GLOBAL const float2* table, uint width, GLOBAL const ulong64* turns,
                          float4 scale, float2 unit, int2 limit) {
#if METHOD == METHOD_TABLE
    const uint mirror = (uint)(i <= FFT_N / 2 ? i : FFT_N - i);
    return there ? table[(ulong64)mirror * width + x] : make_float2(0.0f, 0.0f);
#else
    return transfer_function_at((int)x, signed_index((uint)i, FFT_N), turns, scale, unit, limit);
#endif
}
#endif

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void columns(GLOBAL const float2* RESTRICT in, GLOBAL float2* RESTRICT plus, GLOBAL float2* RESTRICT minus,
             GLOBAL const float2* RESTRICT forward_twiddles, GLOBAL const float2* RESTRICT inverse_twiddles,
             GLOBAL const float2* RESTRICT table, GLOBAL const ulong64* RESTRICT turns, GLOBAL const float4* RESTRICT scale,
             GLOBAL const float2* RESTRICT unit, GLOBAL const int2* RESTRICT limit, GLOBAL const uint* RESTRICT planes,
             GLOBAL const float* RESTRICT mean, uint slot, uint width, uint count, uint together, ulong64 stride) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    float2 spectrum[FFT_REGISTERS];
    const int line = (int)get_local_id(0) % FFT_LINES, place = (int)get_local_id(0) / FFT_LINES, item = place;
    const uint x = (uint)get_group_id(0) * FFT_LINES + (uint)line;
    const int there = x <= width / 2u;

    in += tiled(x, 0u, KEPT);
    plus += tiled(x, 0u, KEPT);
    minus += tiled(x, 0u, KEPT);
#if METHOD == METHOD_TILES
    table += tiled(x, 0u, FFT_N / 2 + 1);
    // For most r of butterfly j the compiler knows on which side of the middle its point is.
#define TRANSFER(i)                                                                  \
    ((r + 1) * FFT_APART <= FFT_N / 2 + 1 ? table[(i) * TILE]                        \
     : r * FFT_APART > FFT_N / 2          ? table[(FFT_N - (i)) * TILE]              \
     : (i) <= FFT_N / 2                   ? table[(i) * TILE] : table[(FFT_N - (i)) * TILE])
#elif METHOD == METHOD_AXES
#define TRANSFER(i) transfer_of_axes(rows[(i) <= FFT_N / 2 ? (i) : FFT_N - (i)], of_column, strength)
#else
#define TRANSFER(i) transfer_of(x, i, there, table, width, turns + 4 * plane, plane_scale, plane_unit, plane_limit)
#endif
#define FFT_AT(p) ((p) * FFT_LINES + line)
#define FFT_LOAD(i, value) value = there && IS_KEPT(i) ? in[(i) * TILE] : make_float2(0.0f, 0.0f)
#define FFT_STORE(i, value)
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#define twiddles forward_twiddles
#include "fft/stockham_core.clh"
#undef twiddles

    FFT_FOR_EACH_POINT(
        spectrum[k] = v[k];
        if (MEAN && x == 0u && i == 0) spectrum[k].x += mean[0] * (float)FFT_N * (float)width;)

#if STACK
    const uint first = (uint)get_group_id(1) * together, end = min(first + together, count);   // one plane at least
    uint at = first;
#pragma unroll 1
    for (;;) {   // PoCL 3.1 misplaces barriers of a loop that may have no round, rusticl 22.3 takes no do (docs/drivers.md)
#else
    const uint at = 0u;
#endif
    {
        const uint plane = planes[slot + at];
        const float4 plane_scale = scale[plane];
        const float2 plane_unit = unit[plane];
        const int2 plane_limit = limit[plane];
#if METHOD == METHOD_AXES
        GLOBAL const float2* rows = table + (ulong64)plane * (FFT_N / 2 + 1);
        const float strength = plane_scale.z * plane_scale.x;
        const float2 of_column = on_axis(x, turns[4 * plane], (ulong64)0, plane_unit.x, plane_limit.x, plane_scale.z);
#endif
#pragma unroll 1
        for (int side = 0; side < 2; ++side) {   // one after the other: two columns at once do not fit the registers
            // The same as before, which compilers cannot know: else they keep what is alike for all columns, and spill.
            const int item = place + (side + (int)at) * (int)(width >> 31);
            const float sign = side == 0 ? 1.0f : -1.0f;
            GLOBAL float2* out = (side == 0 ? plus : minus) + at * stride;
            FFT_FOR_EACH_POINT(
                const float2 h = TRANSFER(i);
                v[k] = complex_multiply(spectrum[k], make_float2(h.x, sign * h.y));)

#define FFT_LOAD(i, value)
#define FFT_STORE(i, value) \
    if (there && IS_KEPT(i)) out[(i) * TILE] = make_float2((value).x, sign * (value).y);
#define FFT_INVERSE 1
#define FFT_REVERSED 1
#define FFT_EXCHANGE_BUSY 1
#define twiddles inverse_twiddles
#include "fft/stockham_core.clh"
#undef twiddles
        }
    }
#if STACK
    if (++at >= end) break;
    }
#endif
}
