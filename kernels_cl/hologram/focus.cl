// How sharp a plane is, and which plane is sharpest; everything stays on the device.
//   focus_partial   sums of the metric's terms over each work-group's share of the region, by the number of all terms;
//                   get_group_id(1) = plane of a batch
//   focus_final     their sum, which is the mean -> values[first + plane]; a work-group a plane
//   focus_best      the extreme of values[0 .. count) -> planes[count], from where the kernels of a last pass read it
// Definitions: engine/algorithms/hologram/reference.hpp. Sums are taken in an order that depends on the region alone.
#include "prelude/prelude.clh"

#define METRIC_TENENGRAD 0
#define METRIC_VARIANCE 1
#define METRIC_BRENNER 2
#define METRIC_LAPLACIAN 3
#define METRIC_DUBOIS 4    // the mean
#ifndef METRIC             // what is added up over a plane
#define METRIC METRIC_TENENGRAD
#endif
#ifndef GROUP              // a power of two
#define GROUP 256
#endif
#ifndef GROUPS             // at most GROUP
#define GROUPS 256
#endif

#if METRIC == METRIC_TENENGRAD || METRIC == METRIC_LAPLACIAN
#define MARGIN_LEFT 1      // pixels that the stencil needs beside its own
#define MARGIN_RIGHT 1
#define MARGIN_Y 1
#elif METRIC == METRIC_BRENNER
#define MARGIN_LEFT 0
#define MARGIN_RIGHT 2
#define MARGIN_Y 0
#else
#define MARGIN_LEFT 0
#define MARGIN_RIGHT 0
#define MARGIN_Y 0
#endif

INLINE float term(GLOBAL const float* a, ulong64 i, uint width, float mean) {
#if METRIC == METRIC_TENENGRAD
    GLOBAL const float* up = a + i - width;
    GLOBAL const float* at = a + i;
    GLOBAL const float* down = a + i + width;
    const float gx = (up[1] - up[-1]) + 2.0f * (at[1] - at[-1]) + (down[1] - down[-1]);
    const float gy = (down[-1] - up[-1]) + 2.0f * (down[0] - up[0]) + (down[1] - up[1]);
    return fma(gx, gx, gy * gy);
#elif METRIC == METRIC_VARIANCE
    const float d = a[i] - mean;
    return d * d;
#elif METRIC == METRIC_BRENNER
    const float d = a[i + 2] - a[i];
    return d * d;
#elif METRIC == METRIC_LAPLACIAN
    const float d = 4.0f * a[i] - ((a[i - 1] + a[i + 1]) + (a[i - width] + a[i + width]));
    return d * d;
#else
    return a[i];
#endif
}

// The batch begins with plane `first`; in `amplitude` its planes lie `pixels` apart. region: left, top, width, height in pixels
// of the image, which is `width` wide. means of planes are read for variance only.
KERNEL void focus_partial(GLOBAL const float* RESTRICT amplitude, GLOBAL float* RESTRICT sums,
                          GLOBAL const float* RESTRICT means, uint first, ulong64 pixels, uint width, int left, int top,
                          int region_width, int region_height) {
    LOCAL_ARRAY(float, tree, GROUP);
    const uint item = get_local_id(0);
    const int inner_width = region_width - MARGIN_LEFT - MARGIN_RIGHT, inner_height = region_height - 2 * MARGIN_Y;
    const uint plane = (uint)get_group_id(1);
    GLOBAL const float* image = amplitude + plane * pixels;
    float sum = 0.0f;
#if METRIC == METRIC_VARIANCE
    const float mean = means[first + plane];
#else
    const float mean = 0.0f;
#endif
    for (int y = (int)get_group_id(0); y < inner_height; y += GROUPS) {
        const ulong64 row = (ulong64)(top + MARGIN_Y + y) * width + (ulong64)(left + MARGIN_LEFT);
        float row_sum = 0.0f;
        for (int x = (int)item; x < inner_width; x += GROUP) row_sum += term(image, row + (ulong64)x, width, mean);
        sum += row_sum;
    }
    // Here already: all terms together may be more than a float holds.
    tree[item] = sum / ((float)inner_width * (float)inner_height);
    BARRIER_LOCAL();
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (item < step) tree[item] += tree[item + step];
        BARRIER_LOCAL();
    }
    if (item == 0) sums[plane * GROUPS + get_group_id(0)] = tree[0];
}

KERNEL void focus_final(GLOBAL const float* RESTRICT sums, GLOBAL float* RESTRICT values, uint first) {
    LOCAL_ARRAY(float, tree, GROUP);
    const uint item = get_local_id(0);
    const uint plane = (uint)get_group_id(0);
    tree[item] = item < GROUPS ? sums[plane * GROUPS + item] : 0.0f;
    BARRIER_LOCAL();
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (item < step) tree[item] += tree[item + step];
        BARRIER_LOCAL();
    }
    if (item == 0) values[first + plane] = tree[0];
}

// maximum != 0: the largest value is best. NaN never wins; of equal planes the first does.
KERNEL void focus_best(GLOBAL const float* RESTRICT values, GLOBAL uint* RESTRICT planes, uint count, int maximum) {
    if (get_global_id(0) != 0) return;
    uint best = 0;
    for (uint i = 1; i < count; ++i) {
        const float a = values[i], b = values[best];
        if (b != b || (maximum != 0 ? a > b : a < b)) best = i;
    }
    planes[count] = best;
}
