// Edges in passes of their own, for steps that do not find them on the way: I -> rows smoothed -> columns smoothed ->
// 1 - omega. One work-item a pixel; any radius; planes with rows `pitch` floats apart. Mirrored borders.
#include "prelude/prelude.clh"
#include "diffusion_lb/lattice.clh"
#include "diffusion_lb/edges.clh"

INLINE float pixel_of(GLOBAL const float* plane, int x, int y, int width, int height, int pitch) {
    int flipped;
    const int column = mirrored(x, width, &flipped), row = mirrored(y, height, &flipped);
    return plane[(ulong64)row * (ulong64)pitch + (ulong64)column];
}

// along_x, along_y: 1, 0 or 0, 1. gaussian: from the centre on. from, to: the rows that are wanted.
KERNEL void smooth(GLOBAL const float* RESTRICT in, GLOBAL float* RESTRICT out, GLOBAL const float* RESTRICT gaussian, int radius,
                   int along_x, int along_y, int width, int height, int pitch, int from, int to) {
    const int x = (int)get_global_id(0);
    const ulong64 start = get_group_id(2) * (ulong64)height * (ulong64)pitch;
    if (x >= width) return;
    for (int y = from + (int)get_group_id(1); y < to; y += (int)get_num_groups(1)) {
        float sum = gaussian[0] * in[start + (ulong64)y * (ulong64)pitch + (ulong64)x];
        for (int k = 1; k <= radius; ++k) {
            const float before = pixel_of(in + start, x - k * along_x, y - k * along_y, width, height, pitch);
            const float after = pixel_of(in + start, x + k * along_x, y + k * along_y, width, height, pitch);
            sum = fma(gaussian[k], before + after, sum);
        }
        out[start + (ulong64)y * (ulong64)pitch + (ulong64)x] = sum;
    }
}

KERNEL void edges(GLOBAL const float* RESTRICT smoothed, GLOBAL float* RESTRICT keep, float b, float inverse_k2, int width,
                  int height, int pitch, int from, int to) {
    const int x = (int)get_global_id(0);
    const ulong64 start = get_group_id(2) * (ulong64)height * (ulong64)pitch;
    if (x >= width) return;
    for (int y = from + (int)get_group_id(1); y < to; y += (int)get_num_groups(1)) {
        GLOBAL const float* u = smoothed + start;
        const float gx = 0.5f * (pixel_of(u, x + 1, y, width, height, pitch) - pixel_of(u, x - 1, y, width, height, pitch));
        const float gy = 0.5f * (pixel_of(u, x, y + 1, width, height, pitch) - pixel_of(u, x, y - 1, width, height, pitch));
        keep[start + (ulong64)y * (ulong64)pitch + (ulong64)x] = kept(gx, gy, b, inverse_k2);
    }
}
