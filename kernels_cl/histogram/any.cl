// What a warning needs of a large histogram, so that the host need not read all of it: found[i] is 0 where all counts that
// work-item i has seen are.
#include "prelude/prelude.clh"

KERNEL void histogram_any(GLOBAL const uint* RESTRICT counts, GLOBAL uint* RESTRICT found, uint count) {
    const uint item = (uint)get_global_id(0);
    uint any = 0;
    for (uint i = item; i < count; i += (uint)get_global_size(0)) any |= counts[i];
    found[item] = any;
}
