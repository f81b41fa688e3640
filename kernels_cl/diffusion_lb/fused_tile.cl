// One step of diffusion in one launch, for images that are small for a device. There time is latency, and a walk down a strip
// waits for the memory at each row; here a work-group has a tile, whose loads are all on their way at once, and four barriers.
//
//   I           COLUMNS + 2 + 2 RADIUS columns and as many rows more, read
//   down        smoothed down the columns, then
//   smooth      along the rows: a pixel more on either side than the tile
//   tile        COLUMNS x ROWS pixels that collide: a work-item has one in ROWS / 8
//   moved       what they send, in local memory: the tile without its rim knows all that arrives, and is written
//
// The rim is collided again by the tiles beside. Sums are added up in the order of fused.cl: the results are the same to the
// bit. Arguments as in fused.cl. Method: docs/diffusion_lb.md.
#include "prelude/prelude.clh"
#include "diffusion_lb/lattice.clh"
#include "diffusion_lb/edges.clh"
#define PX 1
#include "diffusion_lb/pixels.clh"

#ifndef RADIUS       // of the Gaussian, 0 to 6
#define RADIUS 3
#endif
#ifndef ROWS         // of a tile, a multiple of 8
#define ROWS 16
#endif
#define COLUMNS 32
#define GROUP 256    // COLUMNS x 8
#define EACH (ROWS / 8)
#define HALF_STORAGE 0
#define HALO 16      // for strip.clh
#define SIDEWAYS (LATTICE == LATTICE_D2Q5 ? 2 : 6)
#define DOWNWARD (LATTICE == LATTICE_D2Q5 ? 1 : 3)
#include "diffusion_lb/strip.clh"
#include "diffusion_lb/smoothing.clh"

#define SMOOTH_COLUMNS (COLUMNS + 2)
#define SMOOTH_ROWS (ROWS + 2)
#define READ_COLUMNS (SMOOTH_COLUMNS + 2 * RADIUS)
#define READ_ROWS (SMOOTH_ROWS + 2 * RADIUS)
#define LINES (GROUP / COLUMNS)
#define ROUNDS(rows) (((rows) + LINES - 1) / LINES)   // of LINES rows, of which a row of work-items has one
#define BESIDE (SMOOTH_COLUMNS + 2 * RADIUS - COLUMNS) // columns that work-items take besides their own

// mirrored(), without a branch where one reflection is enough at either end.
INLINE int mirrored_near(int i, int n, int* flipped) {
    const int low = i < 0 ? -1 - i : i, at = low >= n ? 2 * n - 1 - low : low;
    *flipped = (i < 0) != (low >= n);
    return (uint)at < (uint)n ? at : mirrored(i, n, flipped);
}

INLINE void smooth_down(LOCAL const float* read, LOCAL float* down, int at, float4 low, float4 high) {
    LOCAL const float* middle = read + at + RADIUS * READ_COLUMNS;
    float v = weight_at(low, high, 0) * middle[0];
#pragma unroll
    for (int k = 1; k <= RADIUS; ++k)
        v = fma(weight_at(low, high, k), middle[-k * READ_COLUMNS] + middle[k * READ_COLUMNS], v);
    down[at] = v;
}

INLINE void smooth_along(LOCAL const float* down, LOCAL float* smooth, int row, int column, float4 low, float4 high) {
    LOCAL const float* middle = down + row * READ_COLUMNS + column + RADIUS;
    float v = weight_at(low, high, 0) * middle[0];
#pragma unroll
    for (int k = 1; k <= RADIUS; ++k) v = fma(weight_at(low, high, k), middle[-k] + middle[k], v);
    smooth[row * SMOOTH_COLUMNS + column] = v;
}

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void fused_tile(GLOBAL const float* RESTRICT in, GLOBAL float* RESTRICT out, GLOBAL const float* RESTRICT f_in,
                GLOBAL float* RESTRICT f_out, float4 gaussian_low, float4 gaussian_high, float b, float inverse_k2, int width,
                int height, int pitch, int first_row, int end_row, int apart, int rows, int first, int last) {
    LOCAL_ARRAY(float, read, READ_ROWS * READ_COLUMNS);
    LOCAL_ARRAY(float, down, SMOOTH_ROWS * READ_COLUMNS);
    LOCAL_ARRAY(float, smooth, SMOOTH_ROWS * SMOOTH_COLUMNS);
    LOCAL_ARRAY(float, moved, MOVING * ROWS * COLUMNS);
    const struct Image at = {width, height, pitch};
    const int item = (int)get_local_id(0), column = item % COLUMNS, line = item / COLUMNS;
    const int left = (int)get_group_id(0) * (COLUMNS - 2) - 1, x = left + column;
    const int top = first_row + (int)get_group_id(1) * apart, end = min(top + rows, end_row);
    const ulong64 z = get_group_id(2), plane = (ulong64)height * (ulong64)pitch;
    in += z * plane;
    out += z * plane;
    f_in += z * MOVING * plane;
    f_out += z * MOVING * plane;

    // All loads, in flight at once.
    float f[EACH][MOVING][1], taken[ROUNDS(READ_ROWS)][2];
    int flipped;
    const int own = mirrored_near(left - 1 - RADIUS + column, width, &flipped);
    const int other = mirrored_near(left - 1 - RADIUS + column + COLUMNS, width, &flipped);
#pragma unroll
    for (int k = 0; k < ROUNDS(READ_ROWS); ++k) {
        const int y = mirrored_near(top - 2 - RADIUS + line + k * LINES, height, &flipped);
        GLOBAL const float* row = in + (ulong64)y * (ulong64)pitch;
        taken[k][0] = row[own];
        taken[k][1] = column < BESIDE ? row[other] : 0.0f;
    }
    int beside;
    const int mirrored_x = mirrored_near(x, width, &beside);
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int y = mirrored_near(top - 1 + line + k * LINES, height, &flipped);
        GLOBAL const float* p = f_in + (ulong64)y * (ulong64)pitch + (ulong64)mirrored_x;
        clear(f[k]);
        if (!first) {
#pragma unroll
            EACH_POPULATION {
                const int straight = flipped ? flipped_y(i) : i;
                f[k][i][0] = p[(ulong64)(beside ? flipped_x(straight) : straight) * plane];
            }
        }
    }
#pragma unroll
    for (int k = 0; k < ROUNDS(READ_ROWS); ++k) {
        const int r = line + k * LINES;
        if (r < READ_ROWS) read[r * READ_COLUMNS + column] = taken[k][0];
        if (r < READ_ROWS && column < BESIDE) read[r * READ_COLUMNS + column + COLUMNS] = taken[k][1];
    }
    BARRIER_LOCAL();
#pragma unroll
    for (int k = 0; k < ROUNDS(SMOOTH_ROWS); ++k) {
        const int r = line + k * LINES;
        if (r < SMOOTH_ROWS) smooth_down(read, down, r * READ_COLUMNS + column, gaussian_low, gaussian_high);
        if (r < SMOOTH_ROWS && column < BESIDE)
            smooth_down(read, down, r * READ_COLUMNS + column + COLUMNS, gaussian_low, gaussian_high);
    }
    BARRIER_LOCAL();
#pragma unroll
    for (int k = 0; k < ROUNDS(SMOOTH_ROWS); ++k) {
        const int r = line + k * LINES;
        if (r < SMOOTH_ROWS) smooth_along(down, smooth, r, column, gaussian_low, gaussian_high);
        if (r < SMOOTH_ROWS && column < SMOOTH_COLUMNS - COLUMNS)
            smooth_along(down, smooth, r, column + COLUMNS, gaussian_low, gaussian_high);
    }
    BARRIER_LOCAL();
    float rest[EACH][1];
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int row = line + k * LINES;
        LOCAL const float* middle = smooth + (row + 1) * SMOOTH_COLUMNS + column + 1;
        float now[1], kept_part[1];
        const float across = middle[1] - middle[-1], downward = middle[SMOOTH_COLUMNS] - middle[-SMOOTH_COLUMNS];
        kept_part[0] = kept(0.5f * across, 0.5f * downward, b, inverse_k2);
        now[0] = read[(row + 1 + RADIUS) * READ_COLUMNS + column + 1 + RADIUS];
        if (!first) subtract_equilibrium(f[k], now);
        collide(f[k], now, kept_part, rest[k]);
#pragma unroll
        EACH_POPULATION moved[(i * ROWS + row) * COLUMNS + column] = f[k][i][0];
    }
    BARRIER_LOCAL();
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const int row = line + k * LINES, y = top - 1 + row;
        if (row == 0 || row == ROWS - 1 || y >= end || column == 0 || column == COLUMNS - 1 || x >= width) continue;
#pragma unroll
        EACH_POPULATION f[k][i][0] = moved[(i * ROWS + row - velocity_y(i)) * COLUMNS + column - velocity_x(i)];
        float sum[1] = {0.0f};
        add_populations(f[k], 1, sum);
        add_populations(f[k], 0, rest[k]);
        sum[0] += rest[k][0];
        add_populations(f[k], -1, sum);
        out[(ulong64)y * (ulong64)pitch + (ulong64)x] = sum[0];
        if (last) continue;
#pragma unroll
        EACH_POPULATION store_population(f_out, i, x, y, at, f[k][i]);
    }
}
