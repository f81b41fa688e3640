// From camera frames to the frame that is transformed.
//   normalise   h = (H - D) / (B - D), and sums of h for its mean
//   mean        the sums -> one mean; one work-group
//   frame       h -> padded frame, real or complex, whose borders are the mean, zero, or mirror images; h begins at (left, top)
//               and the frame is periodic
// The sums are taken in an order that depends on the size alone, so every device pads with the same mean.
#include "prelude/prelude.clh"
#include "hologram/camera.clh"

#define PADDING_MEAN 0
#define PADDING_REFLECT 1
#define PADDING_ZERO 2
#define PADDING_NONE 3
#ifndef PADDING            // what stands around the image
#define PADDING PADDING_NONE
#endif
#ifndef COMPLEX_FRAME      // 1: frame of float2, 0: of float
#define COMPLEX_FRAME 1
#endif
#ifndef COMPLEX_INPUT      // 1: `frame` takes a field of float2 (a demodulated hologram) and its complex mean
#define COMPLEX_INPUT 0
#endif
#ifndef GROUP              // work-group size of normalise and mean, a power of two
#define GROUP 256
#endif
#ifndef GROUPS             // work-groups of normalise, at most GROUP
#define GROUPS 256
#endif

KERNEL void normalise(GLOBAL const HOLOGRAM_TYPE* RESTRICT hologram, GLOBAL const BACKGROUND_TYPE* RESTRICT background,
                      GLOBAL const DARK_TYPE* RESTRICT dark, GLOBAL float* RESTRICT h, GLOBAL float* RESTRICT sums,
                      ulong64 count) {
    LOCAL_ARRAY(float, tree, GROUP);
    const uint item = get_local_id(0);
    float sum = 0.0f;
    for (ulong64 i = (ulong64)get_group_id(0) * GROUP + item; i < count; i += (ulong64)GROUP * GROUPS) {
        const float value = normalised(hologram, background, dark, i);
        h[i] = value;
        sum += value;
    }
    tree[item] = sum;
    BARRIER_LOCAL();
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (item < step) tree[item] += tree[item + step];
        BARRIER_LOCAL();
    }
    if (item == 0) sums[get_group_id(0)] = tree[0];
}

KERNEL void mean(GLOBAL const float* RESTRICT sums, GLOBAL float* RESTRICT result, ulong64 count) {
    LOCAL_ARRAY(float, tree, GROUP);
    const uint item = get_local_id(0);
    tree[item] = item < GROUPS ? sums[item] : 0.0f;
    BARRIER_LOCAL();
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (item < step) tree[item] += tree[item + step];
        BARRIER_LOCAL();
    }
    if (item == 0) result[0] = tree[0] / (float)count;
}

// Position in the image of frame position i: mirror images about the nearer edge, the frame taken as periodic.
INLINE uint mirrored(uint i, uint size, uint padded) {
    if (i < size) return i;
    const uint right = i - size, left = padded - 1 - i;
    const uint period = 2 * size;
    uint m = (right <= left ? size + right : period - 1 - left % period) % period;   // in the two-sided mirror image
    return m < size ? m : period - 1 - m;
}

#if COMPLEX_INPUT
#define PIXEL float2
#define NO_LIGHT make_float2(0.0f, 0.0f)
#else
#define PIXEL float
#define NO_LIGHT 0.0f
#endif

KERNEL void frame(GLOBAL const PIXEL* RESTRICT h, GLOBAL const PIXEL* RESTRICT mean_of_h,
#if COMPLEX_FRAME
                  GLOBAL float2* RESTRICT out,
#else
                  GLOBAL float* RESTRICT out,
#endif
                  uint width, uint height, uint padded_width, uint padded_height, uint left, uint top) {
    const uint i = get_global_id(0), j = get_global_id(1);
    if (i >= padded_width) return;
    const uint x = i >= left ? i - left : i + padded_width - left, y = j >= top ? j - top : j + padded_height - top;
    PIXEL value;
#if PADDING == PADDING_REFLECT
    value = h[(ulong64)mirrored(y, height, padded_height) * width + mirrored(x, width, padded_width)];
#else
    if (x < width && y < height) {
        value = h[(ulong64)y * width + x];
    } else {
#if PADDING == PADDING_MEAN
        value = mean_of_h[0];
#else
        value = NO_LIGHT;
#endif
    }
#endif
    const ulong64 at = (ulong64)j * padded_width + i;
#if COMPLEX_FRAME && !COMPLEX_INPUT
    out[at] = make_float2(value, 0.0f);
#else
    out[at] = value;
#endif
}
