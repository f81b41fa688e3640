// Sums of (a - b)^2 and |a - b|: a pair for each work-group, in an order that depends on sizes alone. Every work-item takes
// an element in GROUP * groups of them; what one item adds up is short, the rest is a tree and the host's double precision.
#include "prelude/prelude.clh"

#ifndef PIXEL_A      // element types: uchar, ushort or float
#define PIXEL_A float
#endif
#ifndef PIXEL_B            // the same of the reference
#define PIXEL_B float
#endif
#ifndef GROUP        // a power of two
#define GROUP 128
#endif

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void errors(GLOBAL const PIXEL_A* RESTRICT a, GLOBAL const PIXEL_B* RESTRICT b, GLOBAL float2* RESTRICT sums, ulong64 count) {
    LOCAL_ARRAY(float2, tree, GROUP);
    const uint item = (uint)get_local_id(0);
    float2 own = make_float2(0.0f, 0.0f);
    for (ulong64 i = get_group_id(0) * GROUP + item; i < count; i += (ulong64)get_num_groups(0) * GROUP) {
        const float d = (float)a[i] - (float)b[i];
        own = own + make_float2(d * d, fabs(d));
    }
    tree[item] = own;
    BARRIER_LOCAL();
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width) tree[item] = tree[item] + tree[item + width];
        BARRIER_LOCAL();
    }
    if (item == 0) sums[get_group_id(0)] = tree[0];
}
