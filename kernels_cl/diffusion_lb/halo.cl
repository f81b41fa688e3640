// Rows that ranks lend each other, from planes into one dense buffer that travels, and from such a buffer into planes.
// Of every plane one block of whole rows, for the neighbour above (side 0), for the one below (side 1), or for both; 16 bytes
// a work-item. Group x: along a block, y: side, z: planes in turn.
#include "prelude/prelude.clh"

// plane, block: 16-byte words of a plane and of the block; at_0, at_1: where the sides' blocks begin in a plane;
// travel_0, travel_1: where those of plane 0 begin in the dense buffer.
KERNEL void collect_rows(GLOBAL const uint4* RESTRICT state, GLOBAL uint4* RESTRICT travelling, ulong64 plane, ulong64 block,
                         ulong64 at_0, ulong64 at_1, ulong64 travel_0, ulong64 travel_1, int first_side, int planes) {
    const ulong64 i = get_global_id(0);
    const int side = first_side + (int)get_group_id(1);
    if (i >= block) return;
    for (int p = (int)get_group_id(2); p < planes; p += (int)get_num_groups(2))
        travelling[(side == 0 ? travel_0 : travel_1) + (ulong64)p * block + i] =
            state[(ulong64)p * plane + (side == 0 ? at_0 : at_1) + i];
}

KERNEL void spread_rows(GLOBAL uint4* RESTRICT state, GLOBAL const uint4* RESTRICT travelling, ulong64 plane, ulong64 block,
                        ulong64 at_0, ulong64 at_1, ulong64 travel_0, ulong64 travel_1, int first_side, int planes) {
    const ulong64 i = get_global_id(0);
    const int side = first_side + (int)get_group_id(1);
    if (i >= block) return;
    for (int p = (int)get_group_id(2); p < planes; p += (int)get_num_groups(2))
        state[(ulong64)p * plane + (side == 0 ? at_0 : at_1) + i] =
            travelling[(side == 0 ? travel_0 : travel_1) + (ulong64)p * block + i];
}
