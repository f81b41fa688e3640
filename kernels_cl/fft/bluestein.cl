// Bluestein's transform (see bluestein_line.cl) where the convolution is longer than a work-group can hold: what comes
// before, between and after two transforms in global memory. A slab of lines at a time is padded into `work`,
// [images][m][width], so that memory stays bounded; one work-item an element.
//   Point y of line x of image s is at origin + s * image_stride + y * point_stride + x of the caller's array.
#include "prelude/prelude.clh"
#include "common/complex.clh"

KERNEL void chirp_in(GLOBAL const float2 *RESTRICT in, GLOBAL float2 *RESTRICT work, GLOBAL const float2 *RESTRICT chirp,
                     ulong64 origin, ulong64 image_stride, ulong64 point_stride, ulong64 images, ulong64 width, ulong64 n,
                     ulong64 m) {
    const ulong64 at = get_global_id(0), x = at % width, y = at / width % m, s = at / width / m;
    if (s >= images) return;
    work[at] = y < n ? complex_multiply(in[origin + s * image_stride + y * point_stride + x], chirp[y]) : make_float2(0.0f, 0.0f);
}

KERNEL void chirp_filter(GLOBAL float2 *work, GLOBAL const float2 *RESTRICT filter, ulong64 images, ulong64 width, ulong64 m) {
    const ulong64 at = get_global_id(0), y = at / width % m, s = at / width / m;
    if (s >= images) return;
    work[at] = complex_multiply(work[at], filter[y]);
}

/// inverse: the forward transform stored backwards.
KERNEL void chirp_out(GLOBAL const float2 *RESTRICT work, GLOBAL float2 *RESTRICT out, GLOBAL const float2 *RESTRICT chirp,
                      ulong64 origin, ulong64 image_stride, ulong64 point_stride, ulong64 images, ulong64 width, ulong64 n,
                      ulong64 m, int inverse, float scale) {
    const ulong64 at = get_global_id(0), x = at % width, y = at / width % n, s = at / width / n;
    if (s >= images) return;
    const float2 value = complex_multiply(work[(s * m + y) * width + x], chirp[y]);
    const ulong64 to = inverse && y != 0 ? n - y : y;
    out[origin + s * image_stride + to * point_stride + x] = make_float2(value.x * scale, value.y * scale);
}
