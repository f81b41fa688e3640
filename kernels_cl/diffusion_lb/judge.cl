// Whether a step changed a plane by so little that later steps may be left out: a work-group a plane, no word to the host.
// sums: (|I' - I|^2, |I|^2) of each of `count` parts of a plane; added up in an order that depends on `count` alone.
// first: number of the first of these planes among all of the image.
#include "prelude/prelude.clh"

#define GROUP 64

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void judge(GLOBAL const float2* RESTRICT sums, GLOBAL int* RESTRICT states, int count, float bound2, int step, ulong64 first) {
    LOCAL_ARRAY(float2, tree, GROUP);
    const int item = (int)get_local_id(0);
    const ulong64 plane = get_group_id(0);
    float2 own = make_float2(0.0f, 0.0f);
    for (int i = item; i < count; i += GROUP) own = own + sums[plane * (ulong64)count + (ulong64)i];
    tree[item] = own;
    BARRIER_LOCAL();
    for (int width = GROUP / 2; width > 0; width /= 2) {
        if (item < width) tree[item] = tree[item] + tree[item + width];
        BARRIER_LOCAL();
    }
    if (item == 0 && states[first + plane] == 0 && tree[0].x < bound2 * tree[0].y) states[first + plane] = step;
}
