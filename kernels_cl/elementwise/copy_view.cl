// A part of an array -> an array without gaps. The part is rows of `length` words, `stride` apart from one to the next; a row
// begins where the axes in front say, axes[0 .. rank - 1] their sizes, slowest first, axes[rank ...] their strides. Rows are
// copied in segments of SEGMENT words, each by `simd` neighbouring work-items.
#include "prelude/prelude.clh"

#ifndef WORD               // uchar, ushort, uint, uint2 or uint4: one element, or several where the part's shape admits it
#define WORD uint
#endif
#ifndef GROUP              // work-items of a group
#define GROUP 256
#endif
#define SEGMENT 4096

// across: a power of two up to GROUP.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void copy_view(GLOBAL const WORD* RESTRICT in, GLOBAL WORD* RESTRICT out, GLOBAL const ulong64* RESTRICT axes, ulong64 offset,
               ulong64 rows, ulong64 length, ulong64 stride, int rank, uint across) {
    const uint item = (uint)get_local_id(0);
    const ulong64 together = GROUP / across, segments = (length + SEGMENT - 1) / SEGMENT;
    for (ulong64 unit = get_group_id(0) * together + item / across; unit < rows * segments;
         unit += get_num_groups(0) * together) {
        const ulong64 row = unit / segments, first = unit % segments * SEGMENT;
        const ulong64 end = first + SEGMENT < length ? first + SEGMENT : length;
        ulong64 from = offset, rest = row;
        for (int k = rank - 1; k >= 0; --k) {
            from += rest % axes[k] * axes[rank + k];
            rest /= axes[k];
        }
        GLOBAL const WORD* source = in + from;
        GLOBAL WORD* target = out + row * length;
        if (stride == 1) {
            for (ulong64 i = first + item % across; i < end; i += across) target[i] = source[i];
        } else {
            for (ulong64 i = first + item % across; i < end; i += across) target[i] = source[i * stride];
        }
    }
}
