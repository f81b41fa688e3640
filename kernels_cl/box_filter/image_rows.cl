// The source papers' row pass through the texture unit: a work-item adds up one window of a row. Reads go through a cache made
// for neighbours in two dimensions. OpenCL only (images).
// backends: opencl
#include "prelude/prelude.clh"
#include "box_filter/border.clh"
#include "box_filter/sums.clh"

// A plane of width x height from element `first` of `in` on. (PoCL 3.1 crashes where part of a buffer is copied to an image.)
KERNEL void to_image(GLOBAL const IN* RESTRICT in, ulong64 first, write_only image2d_t image, int width, int height) {
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
    const IN v = in[first + (ulong64)y * width + x];
#if FLOATS
    write_imagef(image, (int2)(x, y), (float4)(v, 0.0f, 0.0f, 1.0f));
#else
    write_imageui(image, (int2)(x, y), (uint4)(v, 0, 0, 1));
#endif
}

// The same plane to the same place in `out`. Axes of the launch: x, y.
KERNEL void image_rows(read_only image2d_t image, GLOBAL OUT* RESTRICT out, ulong64 first, int width, int height, int window,
                       int border, SUM fill, SUM divisor) {
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= width || y >= height) return;
#if FLOATS
    struct Compensated total = {0.0f, 0.0f};
#else
    SUM total = 0;
#endif
    for (int j = 0; j < window; ++j) {
        const int at = border_index(border, x - window / 2 + j, width);
#if FLOATS
        add(&total, at < 0 ? fill : read_imagef(image, nearest, (int2)(at, y)).x);
    }
    out[first + (ulong64)y * width + x] = result_of(value_of(total), divisor);
#else
        total += at < 0 ? fill : (SUM)read_imageui(image, nearest, (int2)(at, y)).x;
    }
    out[first + (ulong64)y * width + x] = result_of(total, divisor);
#endif
}
