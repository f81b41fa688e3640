// What a camera makes of the field: |U|^2 plus noise, as it is or in grey levels.
//   scale = LEVELS / full scale; grey levels are rounded half to even and clipped to 0 .. LEVELS
#include "prelude/prelude.clh"
#include "common/grey.clh"

#ifndef HAS_NOISE          // 0: the argument is there but is not read
#define HAS_NOISE 0
#endif

// `noise` may be the field itself where it is not read, so it is not `restrict`.
KERNEL void expose(GLOBAL const float2* field, GLOBAL const float* noise, GLOBAL PIXEL* RESTRICT out, uint width, uint height,
                   float scale) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const ulong64 i = (ulong64)y * width + x;
    const float2 u = field[i];
    float intensity = fma(u.x, u.x, u.y * u.y);
#if HAS_NOISE
    intensity += noise[i];
#endif
#if LEVELS != LEVELS_F32
    intensity *= scale;
#endif
    out[i] = pixel_of(intensity);
}
