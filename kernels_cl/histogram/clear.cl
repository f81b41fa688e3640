// Zeroes `count` numbers: what is counted with atomics begins at 0.
#include "prelude/prelude.clh"

KERNEL void histogram_clear(GLOBAL uint* RESTRICT histogram, uint count) {
    const uint i = (uint)get_global_id(0);
    if (i < count) histogram[i] = 0;
}
