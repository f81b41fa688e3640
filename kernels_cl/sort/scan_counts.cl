// The second step of a pass: work-group d turns the counts of digit d into how many of that digit stand in the chunks before
// each chunk, and writes their total. The third step adds the totals of smaller digits: no work-group waits for another.
#include "prelude/prelude.clh"
#include "sort/radix.clh"

#ifndef GROUP              // a power of two
#define GROUP 256
#endif

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void scan_counts(GLOBAL INDEX* counts, GLOBAL INDEX* totals, GLOBAL const uint* varying, uint chunks, uint number, uint begin, uint end) {
    LOCAL_ARRAY2(INDEX, sums, 2, GROUP);
    const Pass pass = pass_of(number, begin, end, 0, varying);
    if (!pass.runs) return;
    const uint item = (uint)get_local_id(0), digit = (uint)get_group_id(0);
    GLOBAL INDEX* const row = counts + (ulong64)digit * chunks;
    const uint each = (chunks + GROUP - 1) / GROUP;
    const uint first = item * each < chunks ? item * each : chunks, last = first + each < chunks ? first + each : chunks;
    INDEX sum = 0;
    for (uint i = first; i < last; ++i) sum += row[i];
    uint now = 0;
    sums[0][item] = sum;
    BARRIER_LOCAL();
    for (uint step = 1; step < GROUP; step *= 2) {
        const INDEX mine = sums[now][item];
        sums[1 - now][item] = item >= step ? sums[now][item - step] + mine : mine;
        now = 1 - now;
        BARRIER_LOCAL();
    }
    INDEX before = sums[now][item] - sum;
    for (uint i = first; i < last; ++i) {
        const INDEX here = row[i];
        row[i] = before;
        before += here;
    }
    if (item == GROUP - 1) totals[digit] = before;
}
