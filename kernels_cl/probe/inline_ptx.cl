// Probe: does the compiler take inline PTX? Reverses the bits of words[0] into words[1]. NVIDIA only.
#include "prelude/prelude.clh"

KERNEL void probe(GLOBAL uint* words) {
    uint reversed;
    asm("brev.b32 %0, %1;" : "=r"(reversed) : "r"(words[0]));
    words[1] = reversed;
}
