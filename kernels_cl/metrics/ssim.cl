// Structural similarity with a Gaussian window of 11 x 11, sigma 1.5: its sum over a tile of TILE x TILE places where the
// window lies inside the image. A tile and its border are read once; moments are smoothed along rows, then down columns, in
// local memory. Levels of each image are taken from a usual one of the tile, which changes no variance and keeps its digits, also
// beside a pixel that is far from all others.
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

INLINE float middle_of(float a, float b, float c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

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
    for (int i = item; i < ROWS * ROWS; i += TILE * TILE) {
        const int x = min(left + i % ROWS, width - 1), y = min(top + i / ROWS, height - 1);
        const ulong64 at = ((slice * (ulong64)height + (ulong64)y) * (ulong64)width + (ulong64)x) * (ulong64)channels + channel;
        tile_a[i / ROWS][i % ROWS] = (float)a[at];
        tile_b[i / ROWS][i % ROWS] = (float)b[at];
    }
    BARRIER_LOCAL();
    // Near the median: the middle one of three, of three such, and so on, in the place of the moments, which come later.
    const int second = item + TILE * TILE, third = item + ROWS * ROWS - TILE * TILE;
    moments[0][item] = middle_of(tile_a[item / ROWS][item % ROWS], tile_a[second / ROWS][second % ROWS],
                                 tile_a[third / ROWS][third % ROWS]);
    moments[1][item] = middle_of(tile_b[item / ROWS][item % ROWS], tile_b[second / ROWS][second % ROWS],
                                 tile_b[third / ROWS][third % ROWS]);
    BARRIER_LOCAL();
    for (int part = 81; part > 0; part /= 3) {   // 243 of them
        if (item < part) {
            for (int q = 0; q < 2; ++q)
                moments[q][item] = middle_of(moments[q][item], moments[q][item + part], moments[q][item + 2 * part]);
        }
        BARRIER_LOCAL();
    }
    const float middle_a = moments[0][0], middle_b = moments[1][0];
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
