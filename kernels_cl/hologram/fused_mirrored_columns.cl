// Second pass of the fused reconstruction among mirror images (mirror.clh): columns of the rows' cosine transforms are
// transformed, multiplied by H and transformed back without leaving the work-group. They are real: two neighbours go as one
// complex line.
//   in    cosine transforms of the rows, floats in tiles of 2 TILE_PAIRS columns (fused_tiles.clh)
//   out   what is transformed back along y, float2 in tiles of the same columns (mirror_tiled())
// The rows of both lie as mirror_place() says.
// STACK 1: a launch makes `count` planes from `slot` on, each `stride` numbers behind the one before; a work-group makes
// `together` of them from one transform. get_group_id(1) says which.
// FFT_PAIRS must be 1: the points k and N - k of a spectrum meet.
// A work-group takes FFT_LINES pairs of columns, a tile or a part of one; work-item = item * FFT_LINES + line.
#include "prelude/prelude.clh"
#ifndef FFT_PAIRS
#define FFT_PAIRS 1
#endif
#define FFT_INTERLEAVED (FFT_LINES > 1)
#include "fft/stockham.clh"
#include "fft/mirror.clh"
#include "hologram/mirrored_transfer.clh"
#if METHOD == METHOD_AXES
#include "hologram/axes.clh"
#endif
// Several work-groups share a tile where they take few columns: the row passes want whole sectors of memory.
#define TILE_PAIRS (FFT_LINES > 4 ? FFT_LINES : 4)

#ifndef STACK              // 0: one plane, without a loop's cost in registers
#define STACK 0
#endif

KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void columns(GLOBAL const float2* RESTRICT in, GLOBAL float2* RESTRICT out, GLOBAL const float2* RESTRICT forward_twiddles,
             GLOBAL const float2* RESTRICT inverse_twiddles, GLOBAL const float2* RESTRICT quarters,
             GLOBAL const float2* RESTRICT table, GLOBAL const ulong64* RESTRICT turns, GLOBAL const float4* RESTRICT scale,
             GLOBAL const float2* RESTRICT unit, GLOBAL const int2* RESTRICT limit, GLOBAL const uint* RESTRICT planes, uint slot,
             uint width, uint count, uint together, ulong64 stride) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    float2 u[FFT_REGISTERS];
    float2 spectrum[FFT_REGISTERS];
    const int line = (int)get_local_id(0) % FFT_LINES, place = (int)get_local_id(0) / FFT_LINES, item = place;
    const uint pair = (uint)get_group_id(0) * FFT_LINES + (uint)line, x = 2u * pair, within = pair % TILE_PAIRS;
    const int first = x < width, second = x + 1u < width;
    const ulong64 tile = (ulong64)(pair / TILE_PAIRS) * FFT_N;
    in += tile * TILE_PAIRS + within;

#define FFT_AT(p) ((p) * FFT_LINES + line)
#define FFT_LOAD(i, value)                                                                   \
    {                                                                                        \
        value = first ? in[(i) * TILE_PAIRS] : make_float2(0.0f, 0.0f); \
        if (!second) value.y = 0.0f;                                                         \
    }
#define FFT_STORE(i, value)
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#define twiddles forward_twiddles
#include "fft/stockham_core.clh"
#undef twiddles

    // Cosine transforms: u.x of the first column, u.y of the second.
    FFT_FOR_EACH_POINT(u[k] = mirror_cosine(v[k], FFT_OPPOSITE(v), mirror_turned(quarters[j], r));)

    // Point i of a column in its tile, as mirror_tiled() has it.
#define PLACE(i) ((i) * (2 * TILE_PAIRS))
#if METHOD == METHOD_TILES
#define TRANSFER(i) of_half[(i) * TILE_PAIRS]   // half_tiled()
#elif METHOD == METHOD_AXES
#define TRANSFER(i) transfer_of_axes(rows[i], of_column, strength)
#else
#define TRANSFER(i)                                                                                                           \
    (there ? mirrored_transfer_at((int)x + column, i, table, width, turns + 4 * plane, plane_scale, plane_unit, plane_limit)  \
           : make_float2(0.0f, 0.0f))
#endif
#if STACK
    const uint begin = (uint)get_group_id(1) * together, end = min(begin + together, count);   // one plane at least
#endif
#pragma unroll 1
    for (int column = 0; column < 2; ++column) {   // one after the other: two at once do not fit the registers
        const int there = column == 0 ? first : second;
#if METHOD == METHOD_TILES
        GLOBAL const float2* of_half = table + (2u * tile + (uint)column * FFT_N) * TILE_PAIRS + within;
#endif
#if STACK
        uint at = begin;
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
            GLOBAL float2* to = out + at * stride + tile * (2u * TILE_PAIRS) + (uint)column * TILE_PAIRS + within;
            // The same as before, which compilers cannot know: else they keep what is alike for all columns, and spill.
            const int item = place + (column + (int)at) * (int)(width >> 31);
#if METHOD == METHOD_AXES
            GLOBAL const float2* rows = table + (ulong64)plane * FFT_N;
            const float strength = plane_scale.z * plane_scale.x;
            const float2 of_column =
                on_axis(x + (uint)column, turns[4 * plane], (ulong64)0, plane_unit.x, plane_limit.x, plane_scale.z);
#endif
            FFT_FOR_EACH_POINT(
                const float2 h = TRANSFER(i);
                v[k] = make_float2(u[k].x * h.x, u[k].x * h.y);)
            FFT_FOR_EACH_POINT(
                const float2 opposite = FFT_OPPOSITE(v);
                const float2 half_turn = mirror_turned(make_float2(0.5f * quarters[j].x, 0.5f * quarters[j].y), r);
                spectrum[k] = mirror_spectrum(v[k], i == 0 ? make_float2(0.0f, 0.0f) : opposite, half_turn);)
            FFT_FOR_EACH_POINT(v[k] = spectrum[k];)

#define FFT_LOAD(i, value)
#define FFT_STORE(i, value) \
    if (there) to[PLACE(i)] = value;
#define FFT_INVERSE 1
#define FFT_REVERSED 1
#define FFT_EXCHANGE_BUSY 1
#define twiddles inverse_twiddles
#include "fft/stockham_core.clh"
#undef twiddles
        }
#if STACK
        if (++at >= end) break;
        }
#endif
        FFT_FOR_EACH_POINT(u[k].x = u[k].y;)   // the second column's turn
    }
}
