// What the y axis says of the transfer functions of all planes (axes.clh): planes x rows of (fraction of a turn, s). The constant
// phase is taken off here.
//   get_global_id(0) = row, y >= 0, get_global_id(1) = plane
#include "prelude/prelude.clh"
#include "hologram/axes.clh"

KERNEL void axis_table(GLOBAL float2* RESTRICT table, GLOBAL const ulong64* RESTRICT turns, GLOBAL const float4* RESTRICT scale,
                       GLOBAL const float2* RESTRICT unit, GLOBAL const int2* RESTRICT limit, uint rows) {
    const uint y = (uint)get_global_id(0), plane = (uint)get_global_id(1);
    if (y >= rows) return;
    table[(ulong64)plane * rows + y] =
        on_axis(y, turns[4 * plane + 1], turns[4 * plane + 2], unit[plane].y, limit[plane].y, scale[plane].z);
}
