// Structural similarity with a Gaussian window of 11 x 11, sigma 1.5: its sum over a tile of TILE x TILE places where the
// window lies inside the image. A tile and its border are read once; moments are smoothed along rows, then down columns, in
// local memory. Levels of each image are taken from the middle of those in the tile, which changes no variance and keeps its
// digits.
// Source: Wang, Bovik, Sheikh, Simoncelli 2004.
#include "prelude/prelude.clh"

#ifndef PIXEL_A      // element types: uchar, ushort or float
#define PIXEL_A float
#endif
#ifndef PIXEL_B            // the same of the reference
#define PIXEL_B float
#endif
#define TILE 16
#define REACH 5
#define ROWS (TILE + 2 * REACH)

INLINE float window_weight(int k) {   // exp(-k^2 / 4.5), normalised
    const int r = k < 0 ? -k : k;
    return r == 0 ? 0.26601172f
         : r == 1 ? 0.21300554f
         : r == 2 ? 0.10936069f
         : r == 3 ? 0.03600077f
         : r == 4 ? 0.00759876f
                  : 0.00102838f;
}

// Planes: slices by channels; channels alternate in memory. c1, c2: (.01 range)^2, (.03 range)^2. sums: from `offset` on, a
// number for each tile.
KERNEL REQUIRED_GROUP(TILE, TILE, 1)
void ssim(GLOBAL const PIXEL_A* RESTRICT a, GLOBAL const PIXEL_B* RESTRICT b, GLOBAL float* RESTRICT sums, int width, int height,
          int channels, ulong64 first_plane, ulong64 offset, float c1, float c2) {
    LOCAL_ARRAY2(float, tile_a, ROWS, ROWS);
    LOCAL_ARRAY2(float, tile_b, ROWS, ROWS);
    LOCAL_ARRAY2(float, moments, 5, ROWS * TILE);
    LOCAL_ARRAY(float, tree, TILE * TILE);
    const int column = (int)get_local_id(0), row = (int)get_local_id(1), item = row * TILE + column;
    const int left = (int)get_group_id(0) * TILE, top = (int)get_group_id(1) * TILE;
    const ulong64 z = get_group_id(2), plane = first_plane + z, slice = plane / (ulong64)channels,
                  channel = plane % (ulong64)channels;
    float low_a = FLT_MAX, high_a = -FLT_MAX, low_b = FLT_MAX, high_b = -FLT_MAX;
    for (int i = item; i < ROWS * ROWS; i += TILE * TILE) {
        const int x = min(left + i % ROWS, width - 1), y = min(top + i / ROWS, height - 1);
        const ulong64 at = ((slice * (ulong64)height + (ulong64)y) * (ulong64)width + (ulong64)x) * (ulong64)channels + channel;
        const float u = (float)a[at], v = (float)b[at];
        tile_a[i / ROWS][i % ROWS] = u;
        tile_b[i / ROWS][i % ROWS] = v;
        low_a = fmin(low_a, u);
        high_a = fmax(high_a, u);
        low_b = fmin(low_b, v);
        high_b = fmax(high_b, v);
    }
    // The extremes of all items, in the place of the moments, which come later.
    moments[0][item] = low_a;
    moments[1][item] = high_a;
    moments[2][item] = low_b;
    moments[3][item] = high_b;
    BARRIER_LOCAL();
    for (int half_size = TILE * TILE / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) {
            for (int q = 0; q < 4; ++q) {
                const float other = moments[q][item + half_size];
                moments[q][item] = q % 2 == 0 ? fmin(moments[q][item], other) : fmax(moments[q][item], other);
            }
        }
        BARRIER_LOCAL();
    }
    const float middle_a = 0.5f * moments[0][0] + 0.5f * moments[1][0], middle_b = 0.5f * moments[2][0] + 0.5f * moments[3][0];
    BARRIER_LOCAL();
    for (int i = item; i < ROWS * TILE; i += TILE * TILE) {
        float m[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
        for (int k = -REACH; k <= REACH; ++k) {
            const float w = window_weight(k), u = tile_a[i / TILE][i % TILE + REACH + k] - middle_a,
                        v = tile_b[i / TILE][i % TILE + REACH + k] - middle_b;
            m[0] = fma(w, u, m[0]);
            m[1] = fma(w, v, m[1]);
            m[2] = fma(w, u * u, m[2]);
            m[3] = fma(w, v * v, m[3]);
            m[4] = fma(w, u * v, m[4]);
        }
        for (int q = 0; q < 5; ++q) moments[q][i] = m[q];
    }
    BARRIER_LOCAL();
    float m[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k <= 2 * REACH; ++k) {
        const float w = window_weight(k - REACH);
        for (int q = 0; q < 5; ++q) m[q] = fma(w, moments[q][(row + k) * TILE + column], m[q]);
    }
    const float variance_a = m[2] - m[0] * m[0], variance_b = m[3] - m[1] * m[1], covariance = m[4] - m[0] * m[1];
    const float mean_a = m[0] + middle_a, mean_b = m[1] + middle_b;
    const float similarity = (2.0f * mean_a * mean_b + c1) * (2.0f * covariance + c2) /
                             ((mean_a * mean_a + mean_b * mean_b + c1) * (variance_a + variance_b + c2));
    tree[item] = left + column < width - 2 * REACH && top + row < height - 2 * REACH ? similarity : 0.0f;
    BARRIER_LOCAL();
    for (int half_size = TILE * TILE / 2; half_size > 0; half_size /= 2) {
        if (item < half_size) tree[item] += tree[item + half_size];
        BARRIER_LOCAL();
    }
    if (item == 0) sums[offset + (plane * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)] = tree[0];
}
