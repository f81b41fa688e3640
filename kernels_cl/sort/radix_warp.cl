// The third step of a pass where warps and inline PTX are known to work: ranks by warps. See scatter.clh.
#include "prelude/prelude.clh"
#include "sort/radix.clh"
#include "sort/rank_warp.clh"
#include "sort/scatter.clh"
