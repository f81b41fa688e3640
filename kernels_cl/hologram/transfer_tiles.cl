// H where it is kept for the column passes of `fused` and `fused_mirrored`, in the order in which they read it (fused_tiles.clh):
// frequencies x, y >= 0, tile for tile. Columns that fill the last tile up are made, too: they are read and not used.
//   get_global_id(0) = column, get_global_id(1) = row
#include "prelude/prelude.clh"
#include "hologram/fused_tiles.clh"
#include "hologram/propagate.clh"

#ifndef MIRRORED           // 1: columns with even numbers come first in a tile (half_tiled())
#define MIRRORED 0
#endif

KERNEL void transfer_tiles(GLOBAL float2* RESTRICT table, GLOBAL const ulong64* RESTRICT turns,
                           GLOBAL const float4* RESTRICT scale, GLOBAL const float2* RESTRICT unit,
                           GLOBAL const int2* RESTRICT limit, GLOBAL const uint* RESTRICT planes, uint slot, uint columns,
                           uint rows) {
    const uint x = (uint)get_global_id(0), y = (uint)get_global_id(1);
    if (x >= columns || y >= rows) return;
    const uint plane = planes[slot];
    const float2 h = transfer_function_at((int)x, (int)y, turns + 4 * plane, scale[plane], unit[plane], limit[plane]);
    table[MIRRORED ? half_tiled(x, y, rows) : tiled(x, y, rows)] = h;
}
