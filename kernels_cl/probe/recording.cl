// Probe: do launches that were recorded run again, in order and with their arguments? x becomes 3x + 1 with each.
// Layout: a word for each work-item.
#include "prelude/prelude.clh"

KERNEL void probe(GLOBAL uint* words) {
    const uint i = get_global_id(0);
    words[i] = 3u * words[i] + 1u;
}
