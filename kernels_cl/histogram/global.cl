// Every element adds 1 to its bin in global memory, which is 0 before: the plainest way, for any number of bins.
#include "prelude/prelude.clh"
#include "histogram/bins.clh"

// count: elements of the image, channels included. mask and edges are read only where they are used.
KERNEL void histogram_global(GLOBAL const ELEMENT* RESTRICT image, GLOBAL const uchar* RESTRICT mask,
                             GLOBAL const float* RESTRICT edges, GLOBAL uint* RESTRICT histogram, ulong64 count) {
    const ulong64 step = get_global_size(0);
    for (ulong64 at = get_global_id(0); at < count; at += step) {
#if HAS_MASK
        if (mask[at / CHANNELS] == 0) continue;
#endif
        const uint bin = bin_of(image[at], edges);
        if (bin != NO_BIN) atomic_inc(&histogram[(uint)(at % CHANNELS) * BINS + bin]);
    }
}
