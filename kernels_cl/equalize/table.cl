// The table of levels.clh by a launch of its own: of 65536 levels, and on CPUs.
#include "prelude/prelude.clh"
#include "equalize/levels.clh"

// pixels: of a channel. Groups: axis 0 blocks of levels, axis 1 channels.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void equalize_table(GLOBAL const uint* RESTRICT histogram, GLOBAL OUTPUT* RESTRICT table, uint pixels) {
    LOCAL_ARRAY(uint, sums, GROUP);        // of the items' levels, then of all up to an item's
    LOCAL_ARRAY(uint, before, GROUP);      // of what stands before the block
    LOCAL_ARRAY(uint, lowest, 1);          // the first level that occurs
    const uint channel = (uint)get_group_id(1) * LEVELS;
    make_levels(histogram + channel, table + channel, pixels, (uint)get_local_id(0), (uint)get_group_id(0) * BLOCK, sums, before,
                lowest);
}
