// Transfer functions and impulse responses of free space, and their product with a spectrum.
//   transfer            H(kx, ky) -> table in transform order
//   impulse             g(x, y) dx dy -> table; centred: as in the paper, g at (x - W/2, y - H/2); else in transform order
//   endless_mean        the table at frequency 0 -> exp(-ikd), where the frame is padded by its mean
//   multiply_table      out = spectrum * table
//   multiply_transfer   out = spectrum * H, H made on the fly: for stacks, where each table would serve once
// The plane is planes[slot]: a number put there by the host, or by the focus search on the device. In a stack of which some
// planes have a transfer function and others an impulse response, limit[plane].x < 0 marks the latter: where only the device
// knows the plane, `impulse`, the transform and `transfer` are all launched, and each kernel leaves the other's planes alone.
// Source: docs/hologram.md; Goodman, Introduction to Fourier Optics; Matsushima & Shimobaba 2009 (band limit).
#include "prelude/prelude.clh"
#include "hologram/propagate.clh"

#ifndef CENTRED            // 1: the axis of an impulse response is in the middle, else at (0, 0)
#define CENTRED 0
#endif

INLINE float2 transfer_at(uint i, uint j, uint width, uint height, GLOBAL const ulong64* turns, float4 scale, float2 unit,
                          int2 limit) {
    return transfer_function_at(signed_index(i, width), signed_index(j, height), turns, scale, unit, limit);
}

KERNEL void transfer(GLOBAL float2* RESTRICT table, GLOBAL const ulong64* RESTRICT turns, GLOBAL const float4* RESTRICT scale,
                     GLOBAL const float2* RESTRICT unit, GLOBAL const int2* RESTRICT limit, GLOBAL const uint* RESTRICT planes,
                     uint slot, uint width, uint height) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width) return;
    const uint plane = planes[slot];
    if (limit[plane].x < 0) return;
    table[(ulong64)y * width + x] = transfer_at(x, y, width, height, turns + 4 * plane, scale[plane], unit[plane], limit[plane]);
}

KERNEL void impulse(GLOBAL float2* RESTRICT table, GLOBAL const ulong64* RESTRICT turns, GLOBAL const float4* RESTRICT scale,
                    GLOBAL const float2* RESTRICT unit, GLOBAL const int2* RESTRICT limit, GLOBAL const uint* RESTRICT planes,
                    uint slot, uint width, uint height) {
    const uint i = get_global_id(0), j = get_global_id(1);
    if (i >= width) return;
    const uint plane = planes[slot];
    if (limit[plane].x >= 0) return;
#if CENTRED
    const int x = (int)i - (int)(width / 2), y = (int)j - (int)(height / 2);
#else
    const int x = signed_index(i, width), y = signed_index(j, height);
#endif
    table[(ulong64)j * width + i] = impulse_at(x, y, turns + 4 * plane, scale[plane], unit[plane],
                                               METHOD == METHOD_RAYLEIGH_SOMMERFELD);
}

// One work-item. Beyond the frame the mean goes on for ever, which the sampled g does not: its transform at frequency 0 is that
// of a plane wave through a window, some percent off and another at every distance.
KERNEL void endless_mean(GLOBAL float2* RESTRICT table, GLOBAL const ulong64* RESTRICT turns, GLOBAL const float4* RESTRICT scale,
                         GLOBAL const float2* RESTRICT unit, GLOBAL const int2* RESTRICT limit,
                         GLOBAL const uint* RESTRICT planes, uint slot) {
    if (get_global_id(0) != 0) return;
    const uint plane = planes[slot];
    if (limit[plane].x >= 0) return;
    float root;
    GLOBAL const ulong64* of_plane = turns + 4 * plane;
    const float2 c =   // of d/lambda
        cis_turns(root_turns(under_root(0, 0, of_plane, unit[plane]), of_plane, scale[plane].x, &root));
    table[0] = make_float2(c.x, -scale[plane].z * c.y);
}

KERNEL void multiply_table(GLOBAL const float2* RESTRICT spectrum, GLOBAL const float2* RESTRICT table,
                           GLOBAL float2* RESTRICT out, uint width, uint height) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    const ulong64 i = (ulong64)y * width + x;
    out[i] = complex_multiply(spectrum[i], table[i]);
}

KERNEL void multiply_transfer(GLOBAL const float2* RESTRICT spectrum, GLOBAL float2* RESTRICT out,
                              GLOBAL const ulong64* RESTRICT turns, GLOBAL const float4* RESTRICT scale,
                              GLOBAL const float2* RESTRICT unit, GLOBAL const int2* RESTRICT limit,
                              GLOBAL const uint* RESTRICT planes, uint slot, uint width, uint height) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width) return;
    const uint plane = planes[slot];
    const ulong64 i = (ulong64)y * width + x;
    out[i] = complex_multiply(spectrum[i],
                              transfer_at(x, y, width, height, turns + 4 * plane, scale[plane], unit[plane], limit[plane]));
}
