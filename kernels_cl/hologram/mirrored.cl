// Reconstruction of a hologram that is surrounded by its mirror images, without a frame of twice its size (mirror.clh): any size,
// any Fourier transform of it.
//   fold        camera frames -> float2 in the order of the transform
//   fold_field  the same of a field
//   propagate   spectrum -> cosine transform, x H, -> spectrum of what is folded; a work-item takes the (up to) four
//               points that mirror each other
// H is even, and known where k/2 and l/2 are frequencies of the frame itself.
#include "prelude/prelude.clh"
#include "hologram/camera.clh"
#include "hologram/found.clh"
#include "fft/mirror.clh"
#include "hologram/mirrored_transfer.clh"

#ifndef DISC               // 1: what lies outside a disc about frequency 0 is left out (off-axis)
#define DISC 0
#endif

KERNEL void fold(GLOBAL const HOLOGRAM_TYPE* RESTRICT hologram, GLOBAL const BACKGROUND_TYPE* RESTRICT background,
                 GLOBAL const DARK_TYPE* RESTRICT dark, GLOBAL float2* RESTRICT out, uint width, uint height) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width) return;
    const ulong64 from = (ulong64)mirror_point(y, height) * width + mirror_point(x, width);
    out[(ulong64)y * width + x] = make_float2(normalised(hologram, background, dark, from), 0.0f);
}

KERNEL void fold_field(GLOBAL const float2* RESTRICT in, GLOBAL float2* RESTRICT out, uint width, uint height) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width) return;
    out[(ulong64)y * width + x] = in[(ulong64)mirror_point(y, height) * width + mirror_point(x, width)];
}

INLINE float2 transfer_at(int x, int y, GLOBAL const float2* table, uint width, GLOBAL const ulong64* turns, float4 scale,
                          float2 unit, int2 limit, float radius) {
#if DISC
    const float u = 0.5f * (float)x, v = 0.5f * (float)y;   // of the frame itself
    if (fma(u, u, v * v) > radius * radius) return make_float2(0.0f, 0.0f);
#endif
    return mirrored_transfer_at(x, y, table, width, turns, scale, unit, limit);
}

KERNEL void propagate(GLOBAL const float2* RESTRICT spectrum, GLOBAL float2* RESTRICT out, GLOBAL const float2* RESTRICT table,
                      GLOBAL const ulong64* RESTRICT turns, GLOBAL const float4* RESTRICT scale,
                      GLOBAL const float2* RESTRICT unit, GLOBAL const int2* RESTRICT limit, GLOBAL const uint* RESTRICT planes,
                      uint slot, GLOBAL const float* RESTRICT found, uint width, uint height, ulong64 step_x, ulong64 step_y) {
    const uint k = get_global_id(0), l = get_global_id(1);
    if (k > width / 2u || l > height / 2u) return;
    const uint plane = planes[slot];
    const float disc = DISC ? found[FOUND_RADIUS] : 0.0f;
    const uint mk = k == 0u ? 0u : width - k, ml = l == 0u ? 0u : height - l;
    const float2 wx = mirror_turn(k, step_x), wy = mirror_turn(l, step_y);
    const ulong64 row = (ulong64)l * width, mirror_row = (ulong64)ml * width;
    float2 a = spectrum[row + k], b = spectrum[row + mk], c = spectrum[mirror_row + k], d = spectrum[mirror_row + mk];
    mirror_forward(&a, &b, wx);
    mirror_forward(&c, &d, wx);
    mirror_forward(&a, &c, wy);
    mirror_forward(&b, &d, wy);
#define TIMES_H(value, x, y)                                                                                              \
    value = complex_multiply(value, transfer_at((int)(x), (int)(y), table, width, turns + 4 * plane, scale[plane],        \
                                                unit[plane], limit[plane], disc))
    TIMES_H(a, k, l);
    TIMES_H(b, mk, l);   // 0 where it would be the coefficient at the size itself: so mirror_forward leaves it
    TIMES_H(c, k, ml);
    TIMES_H(d, mk, ml);
    mirror_inverse(&a, &c, wy);
    mirror_inverse(&b, &d, wy);
    mirror_inverse(&a, &b, wx);
    mirror_inverse(&c, &d, wx);
    out[row + k] = a;
    if (mk != k) out[row + mk] = b;
    if (ml != l) out[mirror_row + k] = c;
    if (mk != k && ml != l) out[mirror_row + mk] = d;
}
