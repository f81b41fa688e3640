// What a conversion without a window loses, as flags in `lost`: 1 a fraction, 2 a result other than 0 and 1, 4 a value beyond the
// type of the result, 8 NaN, 16 an infinity, which is told apart from the rest. One pass over the image; each work-group adds its
// flags once.
#include "prelude/prelude.clh"

#ifndef A                  // type of the image's elements; A_REAL 1: float
#define A float
#define A_REAL 1
#endif
#ifndef OUT_LOW            // range of the result's type
#define OUT_LOW 0
#define OUT_HIGH UCHAR_MAX
#endif
#ifndef CUT_LOW            // 1: an integer A may be below OUT_LOW
#define CUT_LOW 1
#endif
#ifndef CUT_HIGH           // 1: an integer A may be above OUT_HIGH
#define CUT_HIGH 1
#endif
#ifndef GROUP              // 1: a block for each work-group, for CPUs
#define GROUP 256
#endif

KERNEL void losses_begin(GLOBAL uint* RESTRICT lost) {
    if (get_global_id(0) == 0) lost[0] = 0;
}

#if A_REAL
INLINE uint losses_of(float a) {
    const float whole = rint(a);
    const uint other = whole != 0.0f && whole != 1.0f ? 2u : 0u,
               beyond = whole < (float)OUT_LOW || whole > (float)OUT_HIGH ? 4u : 0u;
    if (a != a) return 8u;
    return fabs(a) <= FLT_MAX ? (a != whole ? 1u : 0u) | other | beyond : 16u;
}
#else
INLINE uint losses_of(A a) {
    uint lost = 0;
#if CUT_LOW
    lost |= a < (A)OUT_LOW ? 4u : 0u;
#endif
#if CUT_HIGH
    lost |= a > (A)OUT_HIGH ? 4u : 0u;
#endif
    return lost;
}
#endif

KERNEL REQUIRED_GROUP(GROUP, 1, 1) void losses_find(GLOBAL const A* RESTRICT image, GLOBAL uint* RESTRICT lost, ulong64 count) {
    LOCAL_ARRAY(uint, found, 1);
    const uint lane = (uint)get_local_id(0);
    if (lane == 0) found[0] = 0;
    BARRIER_LOCAL();
    const ulong64 group = get_group_id(0), groups = get_num_groups(0);
    uint flags = 0;
#if GROUP == 1
    const ulong64 end = count * (group + 1) / groups;
    for (ulong64 i = count * group / groups; i < end; ++i) flags |= losses_of(image[i]);
#else
    for (ulong64 i = group * GROUP + lane; i < count; i += groups * GROUP) flags |= losses_of(image[i]);
#endif
    if (flags != 0) atomic_or(&found[0], flags);
    BARRIER_LOCAL();
    if (lane == 0 && found[0] != 0) atomic_or(&lost[0], found[0]);
}
