// Fresnel's integral by one Fourier transform, for long distances (docs/hologram.md, fresnel_single_fft).
//   chirp_in    field * exp(-i pi rho^2 / (lambda d)), rho about the centre, which moves to (0, 0)
//   chirp_out   (0, 0) back to the centre, times the outer phase and (i / (lambda d)) exp(-ikd) dx dy
// The sum runs with exp(+i 2 pi x x' / (lambda d)) for d > 0 and with the opposite sign for d < 0. Only the device
// knows which plane a focus search chose, so one forward transform serves both: conj(F(conj(z))) turns the sign.
// turns[4p + 0, 1]: rho^2/(2 lambda d) of one pixel; turns[4p + 2, 3]: the same of one output pixel; scale[p].y: amplitude;
// unit[p]: exp(ik|d|).
#include "prelude/prelude.clh"
#include "hologram/propagate.clh"

KERNEL void chirp_in(GLOBAL const float2* RESTRICT in, GLOBAL float2* RESTRICT out, GLOBAL const ulong64* RESTRICT turns,
                     GLOBAL const float4* RESTRICT scale, GLOBAL const uint* RESTRICT planes, uint slot, uint width,
                     uint height) {
    const uint i = get_global_id(0), j = get_global_id(1);
    if (i >= width) return;
    const uint plane = planes[slot];
    const int x = signed_index(i, width), y = signed_index(j, height);
    const float sign = scale[plane].z;
    const float2 c = cis_turns(quadratic_turns(turns[4 * plane], turns[4 * plane + 1], x, y));
    const float2 u = in[(ulong64)(uint)(y + (int)(height / 2)) * width + (uint)(x + (int)(width / 2))];
    const float2 z = complex_multiply(u, make_float2(c.x, -sign * c.y));
    out[(ulong64)j * width + i] = make_float2(z.x, -sign * z.y);
}

KERNEL void chirp_out(GLOBAL const float2* RESTRICT in, GLOBAL float2* RESTRICT out, GLOBAL const ulong64* RESTRICT turns,
                      GLOBAL const float4* RESTRICT scale, GLOBAL const float2* RESTRICT unit, GLOBAL const uint* RESTRICT planes,
                      uint slot, uint width, uint height) {
    const uint i = get_global_id(0), j = get_global_id(1);
    if (i >= width) return;
    const uint plane = planes[slot];
    const int x = (int)i - (int)(width / 2), y = (int)j - (int)(height / 2);
    const uint from_x = (i + width - width / 2) % width, from_y = (j + height - height / 2) % height;
    const float2 c = complex_multiply(cis_turns(quadratic_turns(turns[4 * plane + 2], turns[4 * plane + 3], x, y)), unit[plane]);
    const float amplitude = scale[plane].y, sign = scale[plane].z;
    const float2 factor = complex_multiply(make_float2(0.0f, sign * amplitude), make_float2(c.x, -sign * c.y));
    const float2 sum = in[(ulong64)from_y * width + from_x];
    out[(ulong64)j * width + i] = complex_multiply(make_float2(sum.x, -sign * sum.y), factor);
}
