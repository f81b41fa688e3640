// A pass in one launch: keys are read once and written once. Work-groups take tiles by tickets, in turns of
//   load keys, count their digits, publish the counts of the tile, rank the keys and order them in local memory, look back,
//   publish the counts up to the tile, write
// where work-item d looks back for digit d:
//
//   states of digit d     tile    0     1     2     3     4     5: ours
//   (T: of the tile,              U     U     T     T     .     T              LOOKS of them are read at once
//   U: up to it, .: none)               U  <- T  <- T  <- ask again            their sum is what stands before; publishes U
//
//   local memory, by digits     | 0 0 0 0 | 1 | 2 2 2 2 2 | ..      slot i of digit d goes to
//   array `to`                  .. 0 0 0 0 ......... 1 ...          start of d + what stands before - first slot of d + i
//
// A tile is ticketed only when those before it are, by groups that have started, so that a device which lets started groups go on
// comes to an end; where one does not, see common/tile_states.clh.
// Source: Adinets and Merrill 2022; the look-back: Merrill and Garland 2016.
#include "prelude/prelude.clh"
#include "common/tile_states.clh"
#include "sort/radix.clh"
#include "sort/rank_warp.clh"
#include "sort/move_tile.clh"

#ifndef LOOKS              // tiles that a look back asks for at once
#define LOOKS 4
#endif
// What is published: a state's tag is 2 run + one of these.
#define OF_TILE 0
#define UP_TO_TILE 1

INLINE void publish(GLOBAL ulong64* states, uint tile, uint digit, uint run, uint what, uint number) {
    store_relaxed64(states + (ulong64)tile * BINS + digit, tile_state(2 * run + what, number));
}

// How often the digit stands in the tiles before this one; whether that could be found.
INLINE int look_back(GLOBAL const ulong64* states, GLOBAL uint* control, uint tile, uint digit, uint run, uint polls,
                     uint* number) {
    uint sum = 0;
    while (tile > 0) {
        ulong64 state[LOOKS];
#pragma unroll
        for (uint k = 0; k < LOOKS; ++k)
            state[k] = k < tile ? load_relaxed64(states + (ulong64)(tile - 1 - k) * BINS + digit)
                                : tile_state(2 * run + UP_TO_TILE, 0);
#pragma unroll
        for (uint k = 0; k < LOOKS; ++k) {
            for (uint poll = 0; tag_of(state[k]) >> 1 != run; ++poll) {
                if (poll >= polls || OTHERS_GAVE_UP(control, poll)) return 0;
                state[k] = load_relaxed64(states + (ulong64)(tile - 1 - k) * BINS + digit);
            }
            sum += (uint)state[k];
            if ((tag_of(state[k]) & 1) == UP_TO_TILE) {
                *number = sum;
                return 1;
            }
        }
        tile -= LOOKS;                     // tile 0, or what stands for those before it, has ended the sum
    }
    *number = sum;
    return 1;
}

// starts: where each digit of this pass begins. states: BINS for each tile.
KERNEL RESIDENT_GROUP(GROUP, 1, 1)
void onesweep(GLOBAL const KEY* in, GLOBAL KEY* out, GLOBAL KEY* spare, GLOBAL const uint* in_values, GLOBAL uint* out_values,
              GLOBAL uint* spare_values, GLOBAL const uint* starts, GLOBAL const uint* varying, GLOBAL ulong64* states,
              GLOBAL uint* control, uint count, uint number, uint begin, uint end, uint flip, uint polls) {
    LOCAL_ARRAY(KEY, exchange, EXCHANGE);
    LOCAL_ARRAY(INDEX, offset, BINS);
    LOCAL_ARRAY(uint, shared, 3);          // the tile, whether something was lost, whether this group is the last
    const Pass pass = pass_of(number, begin, end, flip, varying);
    if (!pass.runs) return;
    GLOBAL const KEY* const keys = SOURCE_OF(KEY, pass, in, out, spare);
    GLOBAL KEY* const to = pass.to_out ? out : spare;
    GLOBAL const uint* const values = SOURCE_OF(uint, pass, in_values, out_values, spare_values);
    GLOBAL uint* const to_values = pass.to_out ? out_values : spare_values;
    const uint item = (uint)get_local_id(0), tiles = count / TILE + (count % TILE != 0);
    const uint run = this_run(control),
               start_of_digit = item < BINS ? starts[number * BINS + item] : 0;
    uint alone = 0, next_alone = 0, in_tiles_before = 0;
    if (item == 0) shared[1] = 0;

    for (;;) {
        if (item == 0) shared[0] = alone ? next_alone : atomic_inc(control + CONTROL_TICKET);
        BARRIER_LOCAL();
        const uint tile = shared[0];
        if (tile >= tiles) {
            if (alone) break;
        } else {
            const ulong64 at = (ulong64)tile * TILE;
            const uint here = count - at < TILE ? (uint)(count - at) : TILE;
            KEY key[ITEMS];
            uint slot[ITEMS];
            load_keys(keys + at, here, filler(flip), key, exchange, item);
            uint start = 0, number_here = 0;
            count_tile(key, (LOCAL uint*)exchange, pass, item, &start, &number_here);
            if (item < BINS && !alone) publish(states, tile, item, run, tile == 0 ? UP_TO_TILE : OF_TILE, number_here);
            rank_counted(key, slot, (LOCAL uint*)exchange, pass, item);
            BARRIER_LOCAL();
            order_keys(key, slot, exchange);
#if HAS_VALUES && VALUES_EARLY
            uint value[ITEMS];             // on their way while the group looks back and writes its keys
            load_values(values + at, here, value, (LOCAL uint*)exchange, item);
#endif
            if (item < BINS) {
                if (!alone && tile > 0) {
                    if (look_back(states, control, tile, item, run, polls, &in_tiles_before))
                        publish(states, tile, item, run, UP_TO_TILE, in_tiles_before + number_here);
                    else shared[1] = 1;
                }
                offset[item] = start_of_digit + (tile > 0 ? in_tiles_before : 0) - start;
                if (alone) in_tiles_before += number_here;
            }
            BARRIER_LOCAL();
            if (shared[1] == 0) {
                INDEX places[PLACES];
                write_keys(to, places, exchange, offset, pass, here, item);
#if HAS_VALUES
#if !VALUES_EARLY
                uint value[ITEMS];
                load_values(values + at, here, value, (LOCAL uint*)exchange, item);
#endif
                order_values(value, slot, (LOCAL uint*)exchange);
                write_values(to_values, places, (LOCAL const uint*)exchange, offset, here, item);
#endif
                ++next_alone;
                continue;
            }
        }

        // Nothing is left to do, or not this way.
        if (item == 0 && shared[1] != 0) give_up(control);
        if (!leaves_last(control, item, shared + 2)) return;
        if (gave_up(control) == 0) break;
        alone = 1;
        next_alone = 0;
        in_tiles_before = 0;
        BARRIER_LOCAL();
        if (item == 0) shared[1] = 0;
    }
    if (item == 0) {
        end_run(control, run, alone);
        control[CONTROL_TICKET] = 0;
    }
}
