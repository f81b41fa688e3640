// The third step of a pass on any device: ranks from counters of each work-item. See scatter.clh.
#include "prelude/prelude.clh"
#ifndef DIGIT_BITS         // 2 to 5: a counter for each work-item and digit must fit into local memory
#define DIGIT_BITS 4
#endif
#include "sort/radix.clh"
#include "sort/rank_counters.clh"
#include "sort/scatter.clh"
