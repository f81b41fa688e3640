// A table of 256 bytes -> a table for two neighbours at once, 65536 words: a processor then looks up half as often. A work-item
// makes the 256 words of one upper byte.
#include "prelude/prelude.clh"

KERNEL void equalize_pairs(GLOBAL const uchar* RESTRICT levels, GLOBAL ushort* RESTRICT pairs) {
    const uint upper = (uint)get_global_id(0);
    const ushort high = (ushort)((uint)levels[upper] << 8);
    GLOBAL ushort* row = pairs + upper * 256;
    for (uint lower = 0; lower < 256; ++lower) row[lower] = (ushort)(high | levels[lower]);
}
