// Noise on grey levels, one work-item an element; the same bits on every device: the random numbers are integers, and what
// follows are single additions, products and roundings.
//   gaussian: v + scale n    speckle: v + v scale n    salt and pepper: full or 0 where a number is below `threshold`
#include "prelude/prelude.clh"
#include "common/grey.clh"
#include "noise/normal.clh"

#define KIND_GAUSSIAN 0
#define KIND_SPECKLE 1
#define KIND_SALT_AND_PEPPER 2
#ifndef KIND         // of noise
#define KIND KIND_GAUSSIAN
#endif
#ifndef CLIP         // 1: results stay within 0 to full; those of integers always do within their type
#define CLIP 1
#endif

#ifndef WATCH        // 1: beyond[0] becomes 1 where the image has levels outside 0 to full
#define WATCH 0
#endif

#if WATCH
KERNEL void watch_begin(GLOBAL uint* RESTRICT beyond) { beyond[0] = 0; }
#endif

KERNEL void add_noise(GLOBAL const PIXEL* RESTRICT in, GLOBAL PIXEL* RESTRICT out, ulong64 count, ulong64 seed, float scale,
                      float full, ulong64 threshold
#if WATCH
                      , GLOBAL uint* RESTRICT beyond
#endif
) {
#if WATCH
    uint outside = 0;
#endif
    for (ulong64 i = get_global_id(0); i < count; i += get_global_size(0)) {
        const float v = (float)in[i];
#if WATCH
        outside |= (uint)(v < 0.0f) | (uint)(v > full);
#endif
#if KIND == KIND_SALT_AND_PEPPER
        const int hit = (splitmix64(2 * i + (seed << 32)) >> 11) < threshold;
        const int salt = (splitmix64(2 * i + 1 + (seed << 32)) >> 63) != 0;
        float noisy = hit ? (salt ? full : 0.0f) : v;
#else
        const float n = (float)normal(i, seed) * 0x1p-27f;
#if KIND == KIND_SPECKLE
        float noisy = v + v * (scale * n);
#else
        float noisy = v + scale * n;
#endif
#if CLIP
        noisy = noisy < 0.0f ? 0.0f : noisy > full ? full : noisy;   // NaN stays
#endif
#endif
        out[i] = pixel_of(noisy);
    }
#if WATCH
    if (outside != 0) atomic_or(&beyond[0], 1u);
#endif
}
