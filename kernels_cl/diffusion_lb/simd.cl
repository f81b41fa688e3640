// One step of diffusion for CPUs: a work-item walks down `rows` rows of a plane, 16 columns at a time, without barriers.
//
//   row          q = p - 1                    p                        p + 1        ..  p + 1 + RADIUS
//   in turn p    I' added up from f_out,      collides, by the edges   smoothed         read for it
//                still in the cache           of p - 1, p, p + 1
//
//   a row        | MARGIN |     width, 16 at a time     | MARGIN |     populations go to their column by a store one off; what
//                      <-x   x ..                    x   x->            falls into the margin is put back flipped
//
//   in, out, keep: [plane][height][pitch]   f_in, f_out: [plane][MOVING][height][pitch]   lines: 6 rows a work-item
// OpenCL only (float16). Method: docs/diffusion_lb.md.
// backends: opencl
#define REAL float16
#include "prelude/prelude.clh"
#include "diffusion_lb/lattice.clh"
#include "diffusion_lb/edges.clh"

#ifndef RADIUS       // of the Gaussian, at most MARGIN
#define RADIUS 3
#endif
#ifndef WATCH        // 1: says how much the step changed, and does nothing to planes that are done
#define WATCH 0
#endif
#define MARGIN 16

// Where 1 - omega of a row comes from.
#define EDGES_FOUND 0     // found on the way
#define EDGES_WRITTEN 1   // found, and written to `keep` for the next steps
#define EDGES_READ 2      // read from there

struct Image {
    int width, height, pitch;
};

INLINE GLOBAL const float* row_of(GLOBAL const float* plane, int y, struct Image at) {
    int flipped;
    return plane + (ulong64)mirrored(y, at.height, &flipped) * (ulong64)at.pitch + MARGIN;
}

// Columns -reach .. -1 and width .. width + reach - 1 of a row, mirrored.
INLINE void mirror_row(GLOBAL float* row, int reach, int width) {
    int flipped;
    for (int k = 0; k < reach; ++k) {
        row[-1 - k] = row[mirrored(-1 - k, width, &flipped)];
        row[width + k] = row[mirrored(width + k, width, &flipped)];
    }
}

// Row y of the smoothed image, with a column more on either side. `down` is room for a row.
INLINE void smooth_row(GLOBAL const float* in, GLOBAL float* down, GLOBAL float* out, int y, struct Image at,
                       GLOBAL const float* gaussian) {
    GLOBAL const float* rows[2 * RADIUS + 1];
    for (int k = -RADIUS; k <= RADIUS; ++k) rows[k + RADIUS] = row_of(in, y + k, at);
    for (int x = 0; x < at.width; x += 16) {
        float16 sum = gaussian[0] * vload16(0, rows[RADIUS] + x);
#pragma unroll
        for (int k = 1; k <= RADIUS; ++k)
            sum = fma((float16)gaussian[k], vload16(0, rows[RADIUS - k] + x) + vload16(0, rows[RADIUS + k] + x), sum);
        vstore16(sum, 0, down + x);
    }
    mirror_row(down, RADIUS, at.width);
    for (int x = 0; x < at.width; x += 16) {
        float16 sum = gaussian[0] * vload16(0, down + x);
#pragma unroll
        for (int k = 1; k <= RADIUS; ++k)
            sum = fma((float16)gaussian[k], vload16(0, down + x - k) + vload16(0, down + x + k), sum);
        vstore16(sum, 0, out + x);
    }
    mirror_row(out, 1, at.width);
}

// first: populations are w_i I and are not read.
// first_row, end_row: what is written. rows: of a work-item, apart: from the first of one to the first of the next.
KERNEL REQUIRED_GROUP(1, 1, 1)
void simd_step(GLOBAL const float* RESTRICT in, GLOBAL float* RESTRICT out, GLOBAL const float* RESTRICT f_in,
                GLOBAL float* RESTRICT f_out, GLOBAL float* RESTRICT keep, GLOBAL float* RESTRICT lines,
                GLOBAL const float* RESTRICT gaussian, float b, float inverse_k2, int width, int height, int pitch, int first_row,
                int end_row, int apart, int rows, int first, int edges, GLOBAL float2* RESTRICT sums,
                GLOBAL const int* RESTRICT states, ulong64 first_plane) {
    const struct Image at = {width, height, pitch};
    const int top = first_row + (int)get_group_id(0) * apart, end = min(top + rows, end_row);
    const ulong64 z = get_group_id(1), plane = (ulong64)height * (ulong64)pitch, part = z * get_num_groups(0) + get_group_id(0);
#if WATCH
    if (states[first_plane + z] != 0) return;
    float16 changed = 0.0f, norm = 0.0f;
#endif
    in += z * plane;
    out += z * plane + MARGIN;
    keep += z * plane + MARGIN;
    f_in += z * MOVING * plane + MARGIN;
    f_out += z * MOVING * plane + MARGIN;
    lines += part * 6 * (ulong64)pitch + MARGIN;
    GLOBAL float* smoothed[3];
    GLOBAL float* rests[2];
    for (int k = 0; k < 3; ++k) smoothed[k] = lines + (ulong64)(1 + k) * (ulong64)pitch;
    for (int k = 0; k < 2; ++k) rests[k] = lines + (ulong64)(4 + k) * (ulong64)pitch;

    const int begin = max(top - 1, 0), stop = min(end, height - 1);
    if (edges != EDGES_READ) {
        smooth_row(in, lines, smoothed[1], begin - 1, at, gaussian);
        smooth_row(in, lines, smoothed[2], begin, at, gaussian);
    }
    for (int p = begin; p <= stop + 1; ++p) {
        GLOBAL float* rest = rests[p & 1];
        if (p <= stop) {   // the row that collides
            if (edges != EDGES_READ) {
                GLOBAL float* oldest = smoothed[0];
                smoothed[0] = smoothed[1];
                smoothed[1] = smoothed[2];
                smoothed[2] = oldest;
                smooth_row(in, lines, oldest, p + 1, at, gaussian);
            }
            GLOBAL const float* now_row = in + (ulong64)p * (ulong64)pitch + MARGIN;
            GLOBAL float* keep_row = keep + (ulong64)p * (ulong64)pitch;
            GLOBAL float* to[MOVING];
            int wanted[MOVING];
#pragma unroll
            for (int i = 0; i < MOVING; ++i) {
                const int outside = p + velocity_y(i) < 0 || p + velocity_y(i) >= height, y = outside ? p : p + velocity_y(i);
                wanted[i] = y >= top && y < end;
                to[i] = f_out + ((ulong64)(outside ? flipped_y(i) : i) * (ulong64)height + (ulong64)y) * (ulong64)pitch;
            }
            for (int x = 0; x < width; x += 16) {
                const float16 now = vload16(0, now_row + x);
                float16 kept_part;
                if (edges == EDGES_READ) {
                    kept_part = vload16(0, keep_row + x);
                } else {
                    kept_part = kept(0.5f * (vload16(0, smoothed[1] + x + 1) - vload16(0, smoothed[1] + x - 1)),
                                     0.5f * (vload16(0, smoothed[2] + x) - vload16(0, smoothed[0] + x)), b, inverse_k2);
                    if (edges == EDGES_WRITTEN && p >= top && p < end) vstore16(kept_part, 0, keep_row + x);
                }
                float16 left = now;
#pragma unroll
                for (int i = 0; i < MOVING; ++i) {
                    const float16 equilibrium = weight_of(i) * now;
                    float16 f = equilibrium;
                    if (!first)
                        f = fma(kept_part,
                                vload16(0, f_in + ((ulong64)i * (ulong64)height + (ulong64)p) * (ulong64)pitch + x) - equilibrium,
                                equilibrium);
                    left -= f;
                    if (wanted[i]) vstore16(f, 0, to[i] + x + velocity_x(i));
                }
                vstore16(left, 0, rest + x);
            }
            // Back from the margins. A pair that changes columns both ways lies in two rows of f_out that this row alone writes.
#pragma unroll
            for (int i = 0; i < MOVING; ++i) {
                if (velocity_x(i) > 0 && wanted[i]) {
                    GLOBAL float* back = to[flipped_x(i)];
                    const float from_right = to[i][width], from_left = back[-1];
                    to[i][0] = from_left;
                    back[width - 1] = from_right;
                }
            }
        }
        const int q = p - 1;   // the row that is complete, the last one of the image when it has itself collided
        if (q < top || q >= end) continue;
        GLOBAL const float* before = in + (ulong64)q * (ulong64)pitch + MARGIN;
        GLOBAL const float* stayed = rests[q & 1];
        for (int x = 0; x < width; x += 16) {
            float16 sum = vload16(0, stayed + x);
#pragma unroll
            for (int i = 0; i < MOVING; ++i)
                sum += vload16(0, f_out + ((ulong64)i * (ulong64)height + (ulong64)q) * (ulong64)pitch + x);
            vstore16(sum, 0, out + (ulong64)q * (ulong64)pitch + x);
#if WATCH
            const int16 column = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) + x;
            const float16 old = select((float16)0.0f, vload16(0, before + x), column < (int16)width);
            const float16 difference = select((float16)0.0f, sum - old, column < (int16)width);
            changed = fma(difference, difference, changed);
            norm = fma(old, old, norm);
#endif
        }
    }
#if WATCH
    float c[16], n[16];
    vstore16(changed, 0, c);
    vstore16(norm, 0, n);
    float2 total = make_float2(0.0f, 0.0f);
    for (int k = 0; k < 16; ++k) total += make_float2(c[k], n[k]);
    sums[part] = total;
#endif
}
