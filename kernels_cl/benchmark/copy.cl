// What a copy reaches on this device: the ceiling that every kernel's share of bandwidth refers to.
// A float4 a work-item; count: float4s.
#include "prelude/prelude.clh"

KERNEL void copy(GLOBAL const float4* in, GLOBAL float4* out, ulong64 count) {
    const ulong64 i = get_global_id(0);
    if (i < count) out[i] = in[i];
}
