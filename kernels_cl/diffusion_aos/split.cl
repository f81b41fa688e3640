// Additive operator splitting: u' = 1/2 sum over both axes of (1 - 2 tau A)^-1 u. Every column is a tridiagonal system for one
// work-item, BLOCK rows in flight at a time so that the memory's latency is paid once a block; rows are columns of the
// transposed image, so that both directions read and write whole lines.
// Planes of floats, rows `pitch` apart; the transposed ones have rows of `pitch_t`. Source: Weickert 1998.
#include "prelude/prelude.clh"
#include "diffusion_lb/lattice.clh"
#include "diffusion_lb/edges.clh"

#ifndef BLOCK        // rows that are loaded at a time
#define BLOCK 8
#endif
#define TILE 16

// g of the smoothed image.
KERNEL void diffusivities(GLOBAL const float* RESTRICT smoothed, GLOBAL float* RESTRICT g, float inverse_k2, int width,
                          int height, int pitch) {
    const int x = (int)get_global_id(0);
    const ulong64 start = get_group_id(2) * (ulong64)height * (ulong64)pitch;
    if (x >= width) return;
    const int west = max(x - 1, 0), east = min(x + 1, width - 1);
    for (int y = (int)get_group_id(1); y < height; y += (int)get_num_groups(1)) {
        GLOBAL const float* row = smoothed + start + (ulong64)y * (ulong64)pitch;
        GLOBAL const float* north = smoothed + start + (ulong64)max(y - 1, 0) * (ulong64)pitch;
        GLOBAL const float* south = smoothed + start + (ulong64)min(y + 1, height - 1) * (ulong64)pitch;
        const float gx = 0.5f * (row[east] - row[west]), gy = 0.5f * (south[x] - north[x]);
        g[start + (ulong64)y * (ulong64)pitch + (ulong64)x] = diffusivity(fma(gx, gx, gy * gy) * inverse_k2);
    }
}

// out(x, y) = in(y, x); with `add`: out = (out + that) / 2. width, height: of `in`. A tile passes through local memory.
KERNEL REQUIRED_GROUP(TILE, TILE, 1)
void transpose(GLOBAL const float* RESTRICT in, GLOBAL float* RESTRICT out, int width, int height, int pitch_in, int pitch_out,
               int add) {
    LOCAL_ARRAY2(float, tile, TILE, TILE + 1);
    const int column = (int)get_local_id(0), row = (int)get_local_id(1), left = (int)get_group_id(0) * TILE;
    const ulong64 z = get_group_id(2);
    for (int top = (int)get_group_id(1) * TILE; top < height; top += (int)get_num_groups(1) * TILE) {
        if (left + column < width && top + row < height)
            tile[row][column] = in[(z * (ulong64)height + (ulong64)(top + row)) * (ulong64)pitch_in + (ulong64)(left + column)];
        BARRIER_LOCAL();
        if (top + column < height && left + row < width) {
            const ulong64 at = (z * (ulong64)width + (ulong64)(left + row)) * (ulong64)pitch_out + (ulong64)(top + column);
            const float v = tile[column][row];
            out[at] = add ? 0.5f * (out[at] + v) : v;
        }
        BARRIER_LOCAL();
    }
}

// BLOCK rows of two arrays from row `first` on, `step` apart; beyond the ends the last or the first row again.
INLINE void load_rows(GLOBAL const float* a, GLOBAL const float* b, int first, int step, int ahead, int height, ulong64 pitch,
                      float* of_a, float* of_b) {
#pragma unroll
    for (int k = 0; k < BLOCK; ++k) {
        const int y = first + step * k;
        of_a[k] = a[(ulong64)max(min(y, height - 1), 0) * pitch];
        of_b[k] = b[(ulong64)max(min(y + ahead, height - 1), 0) * pitch];
    }
}

// Thomas: down the column with row y's upper coefficient to `upper` and its right side to `out`, then up. Every row waits for the
// one before it: the next block is read while this one is worked on.
KERNEL void solve(GLOBAL const float* RESTRICT u, GLOBAL const float* RESTRICT g, GLOBAL float* RESTRICT upper,
                  GLOBAL float* RESTRICT out, float tau, int width, int height, int pitch_of_rows) {
    const int x = (int)get_global_id(0);
    if (x >= width) return;
    const ulong64 pitch = (ulong64)pitch_of_rows, first = get_group_id(2) * (ulong64)height * pitch + (ulong64)x;
    u += first;
    g += first;
    upper += first;
    out += first;
    float right[BLOCK], factor[BLOCK], next_right[BLOCK], next_factor[BLOCK];

    // above, below: a row's coefficients; what is below one row is above the next. factor: g of the row below.
    float g_here = g[0], above = 0.0f, c = 0.0f, d = 0.0f;
    load_rows(u, g, 0, 1, 1, height, pitch, right, factor);
    for (int top = 0; top < height; top += BLOCK) {
        load_rows(u, g, top + BLOCK, 1, 1, height, pitch, next_right, next_factor);
#pragma unroll
        for (int k = 0; k < BLOCK; ++k) {
            const int y = top + k;
            if (y < height) {
                const float below = y < height - 1 ? tau * (g_here + factor[k]) : 0.0f;
                const float inverse = 1.0f / fma(above, c, 1.0f + above + below);   // c is negative
                c = -below * inverse;
                d = fma(above, d, right[k]) * inverse;
                upper[(ulong64)y * pitch] = c;
                out[(ulong64)y * pitch] = d;
                g_here = factor[k];
                above = below;
            }
            right[k] = next_right[k];
            factor[k] = next_factor[k];
        }
    }
    float solved = 0.0f;   // factor: the upper coefficient
    load_rows(out, upper, height - 1, -1, 0, height, pitch, right, factor);
    for (int bottom = height - 1; bottom >= 0; bottom -= BLOCK) {
        load_rows(out, upper, bottom - BLOCK, -1, 0, height, pitch, next_right, next_factor);
#pragma unroll
        for (int k = 0; k < BLOCK; ++k) {
            if (bottom - k >= 0) {
                solved = fma(-factor[k], solved, right[k]);
                out[(ulong64)(bottom - k) * pitch] = solved;
            }
            right[k] = next_right[k];
            factor[k] = next_factor[k];
        }
    }
}
