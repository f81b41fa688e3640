// The source paper's steps in image memory: reads go through the texture units, whose clamped addresses are the borders of
// the streaming. Populations are packed: `rests` I and f_0, `axes` numbers 0 to 3 of lattice.clh, `diagonals` 4 to 7.
//   smooth rows, smooth columns, edges | collide: to the images of f* | stream: back, and I
// Work-groups are two-dimensional, as textures are cached. Source: Zhou, Yan, Huang 2014.
// backends: opencl
#include "prelude/prelude.clh"
#include "diffusion_lb/lattice.clh"
#include "diffusion_lb/edges.clh"

#define REST_WEIGHT (LATTICE == LATTICE_D2Q5 ? 0.2f : 4.0f / 9.0f)

__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// Functions that take an image have no branch: with one, Mesa 25 reads the kernel's first image, whichever is given.
INLINE float4 texel(__read_only image2d_t image, int x, int y) { return read_imagef(image, nearest, (int2)(x, y)); }
INLINE float pick(float4 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w; }

// A plane of floats to an image of I and to populations in equilibrium.
KERNEL void image_start(GLOBAL const float* plane, __write_only image2d_t rests, __write_only image2d_t axes,
                        __write_only image2d_t diagonals, int width, int height, int pitch) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    const float level = plane[(ulong64)y * (ulong64)pitch + (ulong64)x];
    write_imagef(rests, (int2)(x, y), (float4)(level, REST_WEIGHT * level, 0.0f, 0.0f));
    write_imagef(axes, (int2)(x, y), (float4)(weight_of(0) * level));
#if LATTICE == LATTICE_D2Q9
    write_imagef(diagonals, (int2)(x, y), (float4)(weight_of(4) * level));
#endif
}

KERNEL void image_smooth(__read_only image2d_t in, __write_only image2d_t out, GLOBAL const float* gaussian, int radius,
                         int along_x, int along_y, int width, int height) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    float sum = gaussian[0] * texel(in, x, y).x;
    int flipped;
    for (int k = 1; k <= radius; ++k) {
        const float before = texel(in, mirrored(x - k * along_x, width, &flipped), mirrored(y - k * along_y, height, &flipped)).x;
        const float after = texel(in, mirrored(x + k * along_x, width, &flipped), mirrored(y + k * along_y, height, &flipped)).x;
        sum = fma(gaussian[k], before + after, sum);
    }
    write_imagef(out, (int2)(x, y), (float4)(sum, 0.0f, 0.0f, 0.0f));
}

KERNEL void image_edges(__read_only image2d_t smoothed, __write_only image2d_t keep, float b, float inverse_k2, int width,
                        int height) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    const float gx = 0.5f * (texel(smoothed, x + 1, y).x - texel(smoothed, x - 1, y).x);
    const float gy = 0.5f * (texel(smoothed, x, y + 1).x - texel(smoothed, x, y - 1).x);
    write_imagef(keep, (int2)(x, y), (float4)(kept(gx, gy, b, inverse_k2), 0.0f, 0.0f, 0.0f));
}

KERNEL void image_collide(__read_only image2d_t rests, __read_only image2d_t axes, __read_only image2d_t diagonals,
                          __read_only image2d_t keep, __write_only image2d_t to_rests, __write_only image2d_t to_axes,
                          __write_only image2d_t to_diagonals, int width, int height) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    const float level = texel(rests, x, y).x, kept_part = texel(keep, x, y).x;
    const float4 straight = weight_of(0) * level, a = fma((float4)kept_part, texel(axes, x, y) - straight, straight);
    float rest = level - (a.x + a.y + a.z + a.w);
#if LATTICE == LATTICE_D2Q9
    const float4 oblique = weight_of(4) * level, d = fma((float4)kept_part, texel(diagonals, x, y) - oblique, oblique);
    rest -= d.x + d.y + d.z + d.w;
    write_imagef(to_diagonals, (int2)(x, y), d);
#endif
    write_imagef(to_axes, (int2)(x, y), a);
    write_imagef(to_rests, (int2)(x, y), (float4)(level, rest, 0.0f, 0.0f));
}

// Which population becomes i at (x, y), where a border turns it round.
INLINE int arriving(int i, int x, int y, int width, int height) {
    const int column = x - velocity_x(i), row = y - velocity_y(i);
    const int from = column < 0 || column >= width ? flipped_x(i) : i;
    return row < 0 || row >= height ? flipped_y(from) : from;
}
// Population i of an image that holds numbers `first` to first + 3, from where it comes.
#define ARRIVED(image, i, first) \
    pick(texel(image, x - velocity_x(i), y - velocity_y(i)), arriving(i, x, y, width, height) - first)

KERNEL void image_stream(__read_only image2d_t rests, __read_only image2d_t axes, __read_only image2d_t diagonals,
                         __write_only image2d_t to_rests, __write_only image2d_t to_axes, __write_only image2d_t to_diagonals,
                         int width, int height) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    const float rest = texel(rests, x, y).y;
    const float4 a = (float4)(ARRIVED(axes, 0, 0), ARRIVED(axes, 1, 0), ARRIVED(axes, 2, 0), ARRIVED(axes, 3, 0));
    float level = rest + (a.x + a.y + a.z + a.w);
#if LATTICE == LATTICE_D2Q9
    const float4 d = (float4)(ARRIVED(diagonals, 4, 4), ARRIVED(diagonals, 5, 4), ARRIVED(diagonals, 6, 4),
                              ARRIVED(diagonals, 7, 4));
    level += d.x + d.y + d.z + d.w;
    write_imagef(to_diagonals, (int2)(x, y), d);
#endif
    write_imagef(to_axes, (int2)(x, y), a);
    write_imagef(to_rests, (int2)(x, y), (float4)(level, rest, 0.0f, 0.0f));
}

KERNEL void image_take(__read_only image2d_t rests, GLOBAL float* plane, int width, int height, int pitch) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < width && y < height) plane[(ulong64)y * (ulong64)pitch + (ulong64)x] = texel(rests, x, y).x;
}
