// Probe: do 64-bit atomic additions add, with a carry between the words? Every work-item adds 2^31 + 1.
// Layout: one 64-bit sum.
#include "prelude/prelude.clh"
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

KERNEL void probe(volatile GLOBAL ulong64* sum) {
    atom_add(sum, (ulong64)0x80000001u);
}
