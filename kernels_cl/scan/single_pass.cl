// Scan in one pass: a read and a write an element. Work-groups, as many as the device runs at once, take the tiles in waves:
//
//   tiles       | 0  1  ..  G-1 | G  ..   G+g  ..  2G-1 | 2G  ..             group g of G has tile g of every wave
//   group g     load 0, load 1, publish 0                                    (in time; numbers are waves)
//               publish 1, ask for wave 0, scan 1 meanwhile, write 0, load 2
//               publish 2, ask for wave 1, scan 2 meanwhile, write 1, load 3, ..
//
//   before tile g of wave w   =   base: all waves before, carried along   +   what groups 0 .. g - 1 have published of wave w
//
// A group publishes a wave before it asks for the one before it, so that most of what it asks for is there. Where groups do not
// run at once, the last one to leave does everything alone, in the same order of additions (common/tile_states.clh). in and out
// are different arrays. A state is a tile's total; one of 64 bits takes two words.
// Source: single-pass scans after Merrill and Garland 2016; waves instead of a chain are ours.
#include "prelude/prelude.clh"
#include "common/tile_states.clh"
#include "scan/tile.clh"

#ifndef LOOKS        // groups / GROUP, rounded up
#define LOOKS 1
#endif

INLINE void publish(GLOBAL ulong64* states, ulong64 tile, uint run, WORD value) {
#if TYPE == TYPE_U64
    store_relaxed64(states + 2 * tile, tile_state(run, (uint)value));
    store_relaxed64(states + 2 * tile + 1, tile_state(run, (uint)(value >> 32)));
#else
    store_relaxed64(states + tile, tile_state(run, bits_of(value)));
#endif
}

// Whether the tile has been published in this run.
INLINE int observe(GLOBAL const ulong64* states, ulong64 tile, uint run, WORD* value) {
#if TYPE == TYPE_U64
    const ulong64 low = load_relaxed64(states + 2 * tile), high = load_relaxed64(states + 2 * tile + 1);
    *value = (low & 0xffffffffu) | high << 32;
    return tag_of(low) == run && tag_of(high) == run;
#else
    const ulong64 state = load_relaxed64(states + tile);
    *value = word_of((uint)state);
    return tag_of(state) == run;
#endif
}

typedef struct {
    GLOBAL const WORD* in;
    GLOBAL WORD* out;
    GLOBAL ulong64* states;
    GLOBAL uint* control;
    ulong64 count;
    uint tiles, group, groups, item, run, polls;
    int exclusive;
} Scan;

typedef struct {
    Vector own[LOADS];
} Tile;

// Local memory of one step; there are two, so that a step may write while the slowest still reads the one before.
typedef struct {
    WORD warp_totals[WARPS], below[WARPS], all[WARPS];
} Exchange;

// What stands before a wave. A sum of floats keeps what its additions rounded off, so that its error does not grow with
// the number of waves.
typedef struct {
    WORD value, rest;
} Base;

INLINE WORD after_base(Base base, WORD x) {
#if TYPE == TYPE_F32 && OP == OP_SUM
    return base.value + (base.rest + x);
#else
    return join(base.value, x);
#endif
}

INLINE void advance(Base* base, WORD x) {
    const WORD sum = join(base->value, x);
#if TYPE == TYPE_F32 && OP == OP_SUM
    const WORD added = sum - base->value;
    base->rest += (base->value - (sum - added)) + (x - added);
#endif
    base->value = sum;
}

// What a work-item has seen of the wave.
typedef struct {
    WORD value[LOOKS];
    int known[LOOKS];
} View;

INLINE void look(Scan s, uint wave, View* view) {
#pragma unroll
    for (uint k = 0; k < LOOKS; ++k) {
        const uint group = k * GROUP + s.item;
        view->value[k] = IDENTITY;
        view->known[k] = group >= s.groups || group >= s.tiles - wave;   // nobody there
        if (!view->known[k]) view->known[k] = observe(s.states, wave + group, s.run, &view->value[k]);
    }
}

// Polls for what is missing, and joins what the groups below published, and all of them. One barrier. Whether all came.
INLINE int look_again(Scan s, uint wave, View* view, LOCAL Exchange* exchange, LOCAL uint* lost, WORD* below, WORD* all) {
    const uint lane = s.item % WARP, warp = s.item / WARP;
    *below = IDENTITY;
    *all = IDENTITY;
#pragma unroll
    for (uint k = 0; k < LOOKS; ++k) {
        const uint group = k * GROUP + s.item;
        for (uint poll = 0; !view->known[k] && poll < s.polls; ++poll) {
            if (OTHERS_GAVE_UP(s.control, poll)) break;
            view->known[k] = observe(s.states, wave + group, s.run, &view->value[k]);
        }
        if (!view->known[k]) *lost = 1;
        if (group < s.group) *below = join(*below, view->value[k]);
        *all = join(*all, view->value[k]);
    }
    *below = warp_join(*below);
    *all = warp_join(*all);
    if (lane == 0) {
        exchange->below[warp] = *below;
        exchange->all[warp] = *all;
    }
    BARRIER_LOCAL();
    *below = warp_join(lane < WARPS ? exchange->below[lane] : (WORD)IDENTITY);
    *all = warp_join(lane < WARPS ? exchange->all[lane] : (WORD)IDENTITY);
    return *lost == 0;
}

// Looks back over the wave of `tile` and writes the tile; `next` is the group's tile of the next wave. Whether to go on.
INLINE int step(Scan s, uint tile, Tile* now, Tile* next, Base* base, LOCAL Exchange* exchange, LOCAL uint* lost) {
    const uint wave = tile - s.group;
    const int more = s.tiles - tile > s.groups;
    WORD warps_below = IDENTITY, groups_below, all;
    if (more) {
        const WORD total = tile_total(next->own, exchange->warp_totals, s.item, &warps_below);
        if (s.item == 0) publish(s.states, tile + s.groups, s.run, total);
    }
    View view;
    look(s, wave, &view);
    if (more) scan_rows(next->own, warps_below, s.item % WARP, s.exclusive);   // while the answers are on their way
    if (!look_again(s, wave, &view, exchange, lost, &groups_below, &all)) {
        if (s.item == 0) give_up(s.control);
        return 0;
    }
    store_tile(s.out, (ulong64)tile * TILE, s.count, s.item, now->own, after_base(*base, groups_below));
    advance(base, all);
    if (s.tiles - tile > 2 * s.groups) load_tile(s.in, (ulong64)(tile + 2 * s.groups) * TILE, s.count, s.item, now->own);
    return more;
}

// One group in the place of all, wave after wave.
INLINE void scan_alone(Scan s, LOCAL Exchange* exchange, LOCAL uint* lost) {
    Base base;
    base.value = IDENTITY;
    base.rest = 0;
    if (s.item == 0) *lost = 0;
    for (uint wave = 0; wave < s.tiles; wave += s.groups) {
        const uint end = s.tiles - wave < s.groups ? s.tiles : wave + s.groups;
        Tile tile;
        WORD warps_below, groups_below, all = IDENTITY;
        for (uint t = wave; t < end; ++t) {
            load_tile(s.in, (ulong64)t * TILE, s.count, s.item, tile.own);
            const WORD total = tile_total(tile.own, exchange->warp_totals, s.item, &warps_below);
            if (s.item == 0) publish(s.states, t, s.run, total);
            BARRIER_ALL();
        }
        for (uint t = wave; t < end; ++t) {
            s.group = t - wave;
            View view;
            look(s, wave, &view);
            load_tile(s.in, (ulong64)t * TILE, s.count, s.item, tile.own);
            tile_total(tile.own, exchange->warp_totals, s.item, &warps_below);
            scan_rows(tile.own, warps_below, s.item % WARP, s.exclusive);
            look_again(s, wave, &view, exchange, lost, &groups_below, &all);
            store_tile(s.out, (ulong64)t * TILE, s.count, s.item, tile.own, after_base(base, groups_below));
            BARRIER_LOCAL();
        }
        advance(&base, all);
    }
}

// At most LOOKS * GROUP groups, and at most one for each tile.
KERNEL RESIDENT_GROUP(GROUP, 1, 1)
void single_pass(GLOBAL const WORD* RESTRICT in, GLOBAL WORD* RESTRICT out, GLOBAL ulong64* states, GLOBAL uint* control,
               ulong64 count, int exclusive, uint polls) {
    LOCAL_ARRAY(Exchange, exchange, 2);
    LOCAL_ARRAY(uint, lost, 2);   // whether a tile did not come, whether this group is the last
    Scan s;
    s.in = in;
    s.out = out;
    s.states = states;
    s.control = control;
    s.count = count;
    s.tiles = (uint)((count + TILE - 1) / TILE);
    s.group = (uint)get_group_id(0);
    s.groups = (uint)get_num_groups(0);
    s.item = (uint)get_local_id(0);
    s.run = this_run(control);
    s.polls = polls;
    s.exclusive = exclusive;
    if (s.item == 0) lost[0] = 0;

    Tile a, b;
    Base base;
    base.value = IDENTITY;
    base.rest = 0;
    WORD warps_below;
    uint tile = s.group;
    load_tile(in, (ulong64)tile * TILE, count, s.item, a.own);
    if (s.tiles - tile > s.groups) load_tile(in, (ulong64)(tile + s.groups) * TILE, count, s.item, b.own);
    const WORD total = tile_total(a.own, exchange[1].warp_totals, s.item, &warps_below);
    if (s.item == 0) publish(states, tile, s.run, total);
    scan_rows(a.own, warps_below, s.item % WARP, exclusive);
    for (;;) {
        if (!step(s, tile, &a, &b, &base, exchange, lost)) break;
        tile += s.groups;
        if (!step(s, tile, &b, &a, &base, exchange + 1, lost)) break;
        tile += s.groups;
    }

    if (!leaves_last(control, s.item, lost + 1)) return;
    const uint alone = gave_up(control);
    if (alone != 0) {
        s.polls = UINT_MAX;   // its own states come
        scan_alone(s, exchange, lost);
    }
    if (s.item == 0) end_run(control, s.run, alone);
}
