// Probe: does double compute in double? Squares 1 + 2^-26, whose square needs 53 bits.
// Layout: words[0], words[1] = low and high word of the number, in and out.
#include "prelude/prelude.clh"
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

KERNEL void probe(GLOBAL double* numbers) {
    numbers[0] = numbers[0] * numbers[0];
}
