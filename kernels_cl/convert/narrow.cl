// f64 -> f32 to the nearest, half to even, by integers: for devices without double precision, too.
#include "prelude/prelude.clh"

// high, low: halves of an f64. In 32 bits: from shifts of 64 by a variable Mesa 22.3 makes a type of 128 that it cannot read.
INLINE uint narrow(uint high, uint low) {
    const uint sign = high & 0x80000000u;
    const int exponent = (int)(high >> 20 & 0x7ffu) - 1023;
    const uint fraction = (high & 0xfffffu) << 3 | low >> 29;      // 23 bits
    uint kept = (uint)(exponent + 127) << 23 | fraction, rest = low << 3;   // rest: what is cut off, in parts of 2^32
    if (exponent < -126) {                                         // fewer bits, the leading one among them
        const uint whole = fraction | 0x800000u, drop = (uint)min(-126 - exponent, 25);
        kept = whole >> drop;
        rest = whole << (32 - drop) | (rest != 0 ? 1u : 0u);
    }
    // A carry goes into the exponent, at last to infinity.
    if (rest > 0x80000000u || (rest == 0x80000000u && (kept & 1u) != 0)) ++kept;
    if (exponent > 127) kept = 0x7f800000u;
    if (exponent == 1024 && (high << 12 | low) != 0) kept = 0x7fc00000u;           // NaN
    return sign | kept;
}

KERNEL void narrow_all(GLOBAL const uint2* RESTRICT in, GLOBAL uint* RESTRICT out, ulong64 count) {
    const ulong64 i = get_global_id(0);
    if (i < count) out[i] = narrow(in[i].y, in[i].x);
}
