// The image's grey levels to planes of floats and back. A plane is a channel of a slice; channels alternate in the image.
// `states[plane]`: 0, or the number of steps after which the plane was done; steps write to b, a, b, ... in turn.
#include "prelude/prelude.clh"
#include "common/grey.clh"

// margin: floats before column 0 of a row; first: number of the first plane among all of the image
KERNEL void begin(GLOBAL const PIXEL* RESTRICT image, GLOBAL float* RESTRICT a, GLOBAL int* RESTRICT states, int width,
                  int height, int pitch, int margin, int channels, ulong64 first) {
    const ulong64 z = get_group_id(2), plane = first + z, slice = plane / (ulong64)channels, channel = plane % (ulong64)channels;
    const int x = (int)get_global_id(0);
    if (x == 0 && get_group_id(1) == 0) states[plane] = 0;
    if (x >= width) return;
    for (int y = (int)get_group_id(1); y < height; y += (int)get_num_groups(1)) {
        const ulong64 pixel = (slice * (ulong64)height + (ulong64)y) * (ulong64)width + (ulong64)x;
        a[(z * (ulong64)height + (ulong64)y) * (ulong64)pitch + (ulong64)(margin + x)] =
            (float)image[pixel * (ulong64)channels + channel];
    }
}

KERNEL void end(GLOBAL const float* a, GLOBAL const float* b, GLOBAL const int* RESTRICT states, GLOBAL PIXEL* RESTRICT image,
                int width, int height, int pitch, int margin, int channels, ulong64 first, int iterations) {
    const ulong64 z = get_group_id(2), plane = first + z, slice = plane / (ulong64)channels, channel = plane % (ulong64)channels;
    const int x = (int)get_global_id(0), taken = states[plane] != 0 ? states[plane] : iterations;
    GLOBAL const float* from = (taken & 1) != 0 ? b : a;
    if (x >= width) return;
    for (int y = (int)get_group_id(1); y < height; y += (int)get_num_groups(1)) {
        const ulong64 pixel = (slice * (ulong64)height + (ulong64)y) * (ulong64)width + (ulong64)x;
        const float v = from[(z * (ulong64)height + (ulong64)y) * (ulong64)pitch + (ulong64)(margin + x)];
        image[pixel * (ulong64)channels + channel] = pixel_of(v);
    }
}
