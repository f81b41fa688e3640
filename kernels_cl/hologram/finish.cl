// The propagated field -> what was asked for, cropped, in one read.
//   finish        any of amplitude, phase, intensity, field of one plane
//   swap_quadrants  the paper's step after the inverse transform (its g is centred)
#include "prelude/prelude.clh"
#include "common/complex.clh"

#ifndef WANT_AMPLITUDE     // 0: the argument is there but is not written
#define WANT_AMPLITUDE 1
#endif
#ifndef WANT_PHASE
#define WANT_PHASE 0
#endif
#ifndef WANT_INTENSITY
#define WANT_INTENSITY 0
#endif
#ifndef WANT_FIELD
#define WANT_FIELD 0
#endif

KERNEL void finish(GLOBAL const float2* RESTRICT field, GLOBAL float* amplitude, GLOBAL float* phase, GLOBAL float* intensity,
                   GLOBAL float2* field_out, uint width, uint height, uint padded_width, ulong64 offset) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const float2 u = field[(ulong64)y * padded_width + x];
    const ulong64 o = offset + (ulong64)y * width + x;
#if WANT_AMPLITUDE
    amplitude[o] = complex_modulus(u);
#endif
#if WANT_PHASE
    phase[o] = atan2(u.y, u.x);
#endif
#if WANT_INTENSITY
    intensity[o] = fma(u.x, u.x, u.y * u.y);
#endif
#if WANT_FIELD
    field_out[o] = u;
#endif
}

KERNEL void swap_quadrants(GLOBAL const float2* RESTRICT in, GLOBAL float2* RESTRICT out, uint width, uint height) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const uint from_x = (x + width / 2) % width, from_y = (y + height / 2) % height;
    out[(ulong64)y * width + x] = in[(ulong64)from_y * width + from_x];
}
