// The propagated field -> what was asked for, cropped, in one read.
//   finish        any of amplitude, phase, intensity, field of one plane
//   swap_quadrants  the paper's step after the inverse transform (its g is centred)
#include "prelude/prelude.clh"
#include "fft/mirror.clh"
#include "hologram/planes.clh"

#ifndef FOLDED             // 1: the field's points are in the order of mirror.clh
#define FOLDED 0
#endif

KERNEL void finish(GLOBAL const float2* RESTRICT field, GLOBAL float* amplitude, GLOBAL float* phase, GLOBAL float* intensity,
                   GLOBAL float2* field_out, uint width, uint height, uint padded_width, ulong64 offset) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
#if FOLDED
    const ulong64 from = (ulong64)mirror_place(y, height) * padded_width + mirror_place(x, width);
#else
    const ulong64 from = (ulong64)y * padded_width + x;
#endif
    store_planes(amplitude, phase, intensity, field_out, offset + (ulong64)y * width + x, field[from]);
}

KERNEL void swap_quadrants(GLOBAL const float2* RESTRICT in, GLOBAL float2* RESTRICT out, uint width, uint height) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const uint from_x = (x + width / 2) % width, from_y = (y + height / 2) % height;
    out[(ulong64)y * width + x] = in[(ulong64)from_y * width + from_x];
}
