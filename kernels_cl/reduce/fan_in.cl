// The source paper's reductions, for comparison: a work-item an element, half of the work-items leaving at each step of a
// tree, work-group by work-group until one value remains. Pairs are neighbours (ADJACENT: active work-items grow sparse,
// local memory is read with growing strides) or half the width apart (active work-items stay together).
// `rows` is the cost-optimal form: of N = P^2 elements P work-items each add a row of P, and fan-in joins the P sums.
// Source: the papers that docs/reduce.md compares with.
#include "prelude/prelude.clh"
#include "reduce/accumulator.clh"

#ifndef GROUP        // work-items of a group, a power of two
#define GROUP 256
#endif
#ifndef ADJACENT     // pairs of neighbours
#define ADJACENT 0
#endif

INLINE void fan_in(LOCAL Accumulator* tree, uint item, GLOBAL Accumulator* result) {
    BARRIER_LOCAL();
#if ADJACENT
    for (uint width = 1; width < GROUP; width *= 2) {
        if (item % (2 * width) == 0) tree[item] = join(tree[item], tree[item + width]);
        BARRIER_LOCAL();
    }
#else
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width) tree[item] = join(tree[item], tree[item + width]);
        BARRIER_LOCAL();
    }
#endif
    if (item == 0) *result = tree[0];
}

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void fan_in_elements(GLOBAL const ELEMENT* RESTRICT array, GLOBAL Accumulator* RESTRICT out, ulong64 count) {
    LOCAL_ARRAY(Accumulator, tree, GROUP);
    const ulong64 i = get_global_id(0);
    tree[get_local_id(0)] = i < count ? of((WORD)array[i]) : empty();
    fan_in(tree, (uint)get_local_id(0), out + get_group_id(0));
}

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void fan_in_partial(GLOBAL const Accumulator* RESTRICT in, GLOBAL Accumulator* RESTRICT out, ulong64 count) {
    LOCAL_ARRAY(Accumulator, tree, GROUP);
    const ulong64 i = get_global_id(0);
    tree[get_local_id(0)] = i < count ? in[i] : empty();
    fan_in(tree, (uint)get_local_id(0), out + get_group_id(0));
}

// width: elements of a row.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void rows(GLOBAL const ELEMENT* RESTRICT array, GLOBAL Accumulator* RESTRICT out, ulong64 count, ulong64 width) {
    const ulong64 row = get_global_id(0), begin = row * width;
    if (begin >= count) return;
    const ulong64 end = count - begin < width ? count : begin + width;
    Accumulator sum = of((WORD)array[begin]);
    for (ulong64 i = begin + 1; i < end; ++i) sum = join(sum, of((WORD)array[i]));
    out[row] = sum;
}
