// Second pass of the fused reconstruction among mirror images (mirror.clh): columns of the rows' cosine transforms are
// transformed, multiplied by H and transformed back without leaving the work-group. They are real: two neighbours go as one
// complex line.
//   in    cosine transforms of the rows, floats in tiles of 2 FFT_LINES columns (fused_tiles.clh)
//   out   what is transformed back along y, float2 in tiles of the same columns
// A work-group takes a tile, FFT_LINES pairs of columns; work-item = item * FFT_LINES + line.
#include "prelude/prelude.clh"
#include "fft/stockham.clh"
#include "hologram/mirror.clh"
#include "hologram/mirrored_transfer.clh"


KERNEL REQUIRED_GROUP(FFT_GROUP, 1, 1)
void columns(GLOBAL const float2* RESTRICT in, GLOBAL float4* RESTRICT out, GLOBAL const float2* RESTRICT forward_twiddles,
             GLOBAL const float2* RESTRICT inverse_twiddles, GLOBAL const float2* RESTRICT quarters,
             GLOBAL const float2* RESTRICT table, GLOBAL const ulong64* RESTRICT turns, GLOBAL const float4* RESTRICT scale,
             GLOBAL const float2* RESTRICT unit, GLOBAL const int2* RESTRICT limit, GLOBAL const uint* RESTRICT planes, uint slot,
             uint width) {
    LOCAL_ARRAY(float, exchange, FFT_LOCAL);
    float2 v[FFT_REGISTERS];
    float2 w[FFT_REGISTERS];
    float m[FFT_REGISTERS];
    const int line = (int)get_local_id(0) % FFT_LINES, item = (int)get_local_id(0) / FFT_LINES;
    const uint x = 2u * ((uint)get_group_id(0) * FFT_LINES + (uint)line);
    const int first = x < width, second = x + 1u < width;
    const ulong64 tile = (ulong64)get_group_id(0) * FFT_N;

#define AT_ROW(y) ((tile + (y)) * FFT_LINES + (uint)line)
#define FFT_AT(p) ((p) * FFT_LINES + line)
#define FFT_LOAD(i, value)                                                                   \
    {                                                                                        \
        value = first ? in[AT_ROW(mirror_point((uint)(i), FFT_N))] : make_float2(0.0f, 0.0f); \
        if (!second) value.y = 0.0f;                                                         \
    }
#define FFT_STORE(i, value)
#define FFT_INVERSE 0
#define FFT_REVERSED 0
#define FFT_EXCHANGE_BUSY 0
#define twiddles forward_twiddles
#include "fft/stockham_core.clh"
#undef twiddles

    // v[round * FFT_LAST + r] is point item + round * FFT_ITEMS + r * LAST_COUNT.
    // The other of a pair comes through local memory, part by part. `at_0`: what stands beyond the last point.
#define THROUGH_LOCAL(mine, other, at_0) \
    BARRIER_LOCAL(); \
    FFT_FOR_EACH_POINT(exchange[FFT_AT(i)] = mine;) \
    BARRIER_LOCAL(); \
    FFT_FOR_EACH_POINT(const float mirrored = exchange[FFT_AT(i == 0 ? 0 : FFT_N - i)]; other((i == 0 ? (at_0) : mirrored));)

    THROUGH_LOCAL(v[k].x, m[k] =, mirrored)
#define TAKE(value) \
    float2 c = v[k]; float2 rest = make_float2(m[k], value); \
    mirror_forward(&c, &rest, quarters[i]); \
    v[k] = c
    THROUGH_LOCAL(v[k].y, TAKE, mirrored)
#undef TAKE

    const uint plane = planes[slot];
    const float4 plane_scale = scale[plane];
    const float2 plane_unit = unit[plane];
    const int2 plane_limit = limit[plane];
    FFT_FOR_EACH_POINT(
        const float2 c = v[k];
        const float2 none = make_float2(0.0f, 0.0f);
        const float2 h = first ? mirrored_transfer_at((int)x, i, table, width, turns + 4 * plane, plane_scale, plane_unit,
                                                      plane_limit) : none;
        v[k] = make_float2(c.x * h.x, c.x * h.y);
        const float2 g = second ? mirrored_transfer_at((int)x + 1, i, table, width, turns + 4 * plane, plane_scale, plane_unit,
                                                       plane_limit) : none;
        w[k] = make_float2(c.y * g.x, c.y * g.y);)

    // As in mirror_inverse().
#define TAKE(value) \
    const float2 sum = make_float2(0.5f * (COLUMN[k].x + value), 0.5f * (COLUMN[k].y - m[k])); \
    COLUMN[k] = complex_multiply(sum, complex_conjugate(quarters[i]))
#define COLUMN v
    THROUGH_LOCAL(v[k].x, m[k] =, 0.0f)
    THROUGH_LOCAL(v[k].y, TAKE, 0.0f)
#undef COLUMN
#define COLUMN w
    THROUGH_LOCAL(w[k].x, m[k] =, 0.0f)
    THROUGH_LOCAL(w[k].y, TAKE, 0.0f)
#undef COLUMN
#undef TAKE

#include "hologram/fused_back.clh"

    // The inverse ends with the first radix.
#pragma unroll
    for (int round = 0; round < FFT_ROUNDS(FFT_R0); ++round) {
        const int j = item + round * FFT_ITEMS;
        if (first && ((FFT_N / FFT_R0) % FFT_ITEMS == 0 || j < FFT_N / FFT_R0)) {
#pragma unroll
            for (int r = 0; r < FFT_R0; ++r) {
                const int i = j + r * (FFT_N / FFT_R0), k = round * FFT_R0 + r;
                out[AT_ROW(mirror_point((uint)i, FFT_N))] = make_float4(w[k].x, w[k].y, v[k].x, v[k].y);
            }
        }
    }
}
