// data[i] *= factor: the 1/N of an inverse transform, for libraries that leave it out. A work-item a number.
#include "prelude/prelude.clh"

KERNEL void scale(GLOBAL float* data, ulong64 count, float factor) {
    const ulong64 i = get_global_id(0);
    if (i < count) data[i] *= factor;
}
