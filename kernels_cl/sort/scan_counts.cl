// The second step of a pass: work-group d turns the counts of digit d into how many of that digit stand in the chunks before
// each chunk, and writes their total. The third step adds the totals of smaller digits: no work-group waits for another.
#include "prelude/prelude.clh"
#include "sort/radix.clh"

#ifndef GROUP              // a power of two
#define GROUP 256
#endif
#define ITEMS 4            // chunks of a round a work-item

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void scan_counts(GLOBAL INDEX* counts, GLOBAL INDEX* totals, GLOBAL const uint* varying, uint chunks, uint number, uint begin,
                 uint end) {
    LOCAL_ARRAY2(INDEX, sums, 2, GROUP);
    const Pass pass = pass_of(number, begin, end, 0, varying);
    if (!pass.runs) return;
    const uint item = (uint)get_local_id(0), digit = (uint)get_group_id(0);
    GLOBAL INDEX* const row = counts + (ulong64)digit * chunks;
    INDEX before = 0;                      // what the rounds so far counted
    for (uint first = 0; first < chunks; first += GROUP * ITEMS) {
        const uint at = first + item * ITEMS;
        INDEX own[ITEMS], sum = 0;
        for (uint k = 0; k < ITEMS; ++k) {
            own[k] = at + k < chunks ? row[at + k] : 0;
            sum += own[k];
        }
        uint now = 0;
        sums[0][item] = sum;
        BARRIER_LOCAL();
        for (uint step = 1; step < GROUP; step *= 2) {
            const INDEX mine = sums[now][item];
            sums[1 - now][item] = item >= step ? sums[now][item - step] + mine : mine;
            now = 1 - now;
            BARRIER_LOCAL();
        }
        INDEX next = before + sums[now][item] - sum;
        before += sums[now][GROUP - 1];
        for (uint k = 0; k < ITEMS; ++k) {
            if (at + k < chunks) row[at + k] = next;
            next += own[k];
        }
        BARRIER_LOCAL();
    }
    if (item == 0) totals[digit] = before;
}
