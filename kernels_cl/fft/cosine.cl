// Cosine transforms of lines of any length around complex ones (mirror.clh). Two real lines a, b are one complex line a + i b:
// everything is linear, so that both come out as they are. Array [images][n][unit]; of rows (unit 1) the lines of two images go
// together, of columns two neighbours; a last one goes with zeros. Work: complex, [images / 2][n] or [images][n][unit / 2].
//   forward: cosine_order, transform, cosine_split      inverse: cosine_join, transform back, cosine_place
// One work-item a complex number.
// Source: Makhoul 1980.
#include "prelude/prelude.clh"
#include "fft/mirror.clh"

#ifndef COSINE_COLUMNS     // 1: columns, 0: rows
#define COSINE_COLUMNS 0
#endif

// Where point i of the two lines of this work-item is, `first` and `second`; 0: there is no second.
#if COSINE_COLUMNS
#define COSINE_LINES                                                                                  \
    const ulong64 pairs = (unit + 1) / 2, at = get_global_id(0), image = at / (pairs * n);            \
    const ulong64 line = at % pairs;                                                                  \
    const uint k = (uint)(at / pairs % n);                                                            \
    if (image >= images) return;                                                                      \
    const int both = 2 * line + 1 < unit;                                                             \
    const ulong64 work = image * n * pairs + line;
#define FIRST(i) (image * n + (i)) * unit + 2 * line
#define SECOND(i) (FIRST(i)) + 1
#define WORK(i) work + (i) * pairs
#else
#define COSINE_LINES                                                                                  \
    const ulong64 at = get_global_id(0), pair = at / n;                                               \
    const uint k = (uint)(at % n);                                                                    \
    if (pair >= (images + 1) / 2) return;                                                             \
    const int both = 2 * pair + 1 < images;
#define FIRST(i) 2 * pair * n + (i)
#define SECOND(i) (FIRST(i)) + n
#define WORK(i) pair * n + (i)
#endif
#define LOADED(i) make_float2(in[FIRST(i)], both ? in[SECOND(i)] : 0.0f)

KERNEL void cosine_order(GLOBAL const float *RESTRICT in, GLOBAL float2 *RESTRICT z, GLOBAL const float2 *RESTRICT quarters,
                         ulong64 images, ulong64 n, ulong64 unit) {
    COSINE_LINES
    const uint from = mirror_point(k, (uint)n);
    z[WORK(k)] = LOADED(from);
}

KERNEL void cosine_split(GLOBAL const float2 *RESTRICT z, GLOBAL float *RESTRICT out, GLOBAL const float2 *RESTRICT quarters,
                         ulong64 images, ulong64 n, ulong64 unit) {
    COSINE_LINES
    const float2 c = mirror_cosine(z[WORK(k)], z[WORK(k == 0u ? 0u : n - k)], quarters[k]);
    out[FIRST(k)] = c.x;
    if (both) out[SECOND(k)] = c.y;
}

KERNEL void cosine_join(GLOBAL const float *RESTRICT in, GLOBAL float2 *RESTRICT z, GLOBAL const float2 *RESTRICT quarters,
                        ulong64 images, ulong64 n, ulong64 unit) {
    COSINE_LINES
    const float2 opposite = k == 0u ? make_float2(0.0f, 0.0f) : LOADED(n - k);
    z[WORK(k)] = mirror_spectrum(LOADED(k), opposite, make_float2(0.5f * quarters[k].x, 0.5f * quarters[k].y));
}

KERNEL void cosine_place(GLOBAL const float2 *RESTRICT z, GLOBAL float *RESTRICT out, GLOBAL const float2 *RESTRICT quarters,
                         ulong64 images, ulong64 n, ulong64 unit) {
    COSINE_LINES
    const uint to = mirror_point(k, (uint)n);
    const float2 value = z[WORK(k)];
    out[FIRST(to)] = value.x;
    if (both) out[SECOND(to)] = value.y;
}
