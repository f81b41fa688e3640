// Scan on a processor: every work-item has a chunk of the array, adds it up in vectors of 16, and, once one of them has scanned
// the totals, goes over it again: a vector is scanned within itself by four shifts, and only one addition waits for the
// vector before. Nothing is shared and nothing waits. in and out may be the same array.
// backends: opencl
#include "prelude/prelude.clh"
#include "scan/operator.clh"

#define VECTOR_(type) type##16
#define VECTOR__(type) VECTOR_(type)
#if TYPE == TYPE_U64
typedef ulong16 Vector;
#else
typedef VECTOR__(WORD) Vector;
#endif

#if OP == OP_SUM && TYPE == TYPE_I32
#define JOIN(a, b) as_int16(as_uint16(a) + as_uint16(b))
#elif OP == OP_SUM
#define JOIN(a, b) ((a) + (b))
#elif TYPE == TYPE_F32 && OP == OP_MIN
#define JOIN(a, b) ((a) != (a) ? (a) : (b) != (b) ? (b) : (b) < (a) ? (b) : (a))
#elif TYPE == TYPE_F32
#define JOIN(a, b) ((a) != (a) ? (a) : (b) != (b) ? (b) : (b) > (a) ? (b) : (a))
#elif OP == OP_MIN
#define JOIN(a, b) min(a, b)
#else
#define JOIN(a, b) max(a, b)
#endif

// The vector moved up by 1, 2, 4, 8 lanes; what comes in changes nothing.
INLINE Vector up1(Vector v) { return (Vector)(IDENTITY, v.s012, v.s3456, v.s789abcde); }
INLINE Vector up2(Vector v) { return (Vector)((WORD)IDENTITY, (WORD)IDENTITY, v.s01, v.s2345, v.s6789abcd); }
INLINE Vector up4(Vector v) {
    return (Vector)((WORD)IDENTITY, (WORD)IDENTITY, (WORD)IDENTITY, (WORD)IDENTITY, v.s0123, v.s456789ab);
}
INLINE Vector up8(Vector v) {
    return (Vector)((WORD)IDENTITY, (WORD)IDENTITY, (WORD)IDENTITY, (WORD)IDENTITY, (WORD)IDENTITY, (WORD)IDENTITY,
                    (WORD)IDENTITY, (WORD)IDENTITY, v.s01234567);
}
INLINE Vector scanned(Vector v) {
    v = JOIN(up1(v), v);
    v = JOIN(up2(v), v);
    v = JOIN(up4(v), v);
    return JOIN(up8(v), v);
}

// Chunk g has the elements from g * chunk on.
KERNEL void simd_totals(GLOBAL const WORD* in, GLOBAL WORD* totals, ulong64 count, ulong64 chunk) {
    const ulong64 begin = get_global_id(0) * chunk, end = count - begin < chunk ? count : begin + chunk;
    Vector sum = (Vector)(WORD)IDENTITY;
    ulong64 i = begin;
    for (; i + 16 <= end; i += 16) {
        const Vector v = vload16(0, in + i);
        sum = JOIN(sum, v);
    }
    WORD total = scanned(sum).sf;
    for (; i < end; ++i) total = join(total, in[i]);
    totals[get_global_id(0)] = total;
}

// One work-item: totals become what stands before each chunk.
KERNEL void simd_offsets(GLOBAL WORD* totals, uint chunks) {
    WORD before = IDENTITY;
    for (uint i = 0; i < chunks; ++i) {
        const WORD total = totals[i];
        totals[i] = before;
        before = join(before, total);
    }
}

KERNEL void simd_scan(GLOBAL const WORD* in, GLOBAL WORD* out, GLOBAL const WORD* offsets, ulong64 count, ulong64 chunk,
                       int exclusive) {
    const ulong64 begin = get_global_id(0) * chunk, end = count - begin < chunk ? count : begin + chunk;
    WORD before = offsets[get_global_id(0)];
    ulong64 i = begin;
    for (; i + 16 <= end; i += 16) {
        const Vector up_to = scanned(vload16(0, in + i)), left = exclusive ? up1(up_to) : up_to;
        const Vector base = (Vector)before;
        vstore16(JOIN(base, left), 0, out + i);
        before = join(before, up_to.sf);
    }
    for (; i < end; ++i) {
        const WORD element = in[i], after = join(before, element);
        out[i] = exclusive ? before : after;
        before = after;
    }
}
