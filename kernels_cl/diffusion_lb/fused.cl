// One step of diffusion in one launch, or two by the same edges. A work-group walks down a strip of columns, a row a turn; in the
// turn in which row p collides
//
//   row             p - 2         p - 1              p                      p + 1         p + 2          ..   p + RADIUS + 2
//   I                             I' complete                                                                 read
//   smoothed I                    '---- gradient, 1 - omega of row p ------'              down the columns, from registers,
//                                                                                         then along the row
//   populations                   <------ up ------  collides: rest  ----- down ----->
//   STEPS 2         I'' written   collides again
//
//   columns         | HALO |          SPAN, written          | HALO |      a work-item: PX columns; neighbours pass populations
//                                                                          and smoothed rows on through local memory
//
// All reads and writes are whole rows, and every population is read once and written once. A row's I' comes from three rows;
// I' = I - (what leaves) + (what comes), so the population at rest is never stored. The HALO is collided again by the strips
// beside. One barrier a row and step. HALF_STORAGE: populations are kept as halves of f_i - w_i I, all that a collision changes.
// in, out: I [plane][height][pitch]; f_in, f_out: [plane][MOVING][height][pitch]. Method: docs/diffusion_lb.md.
#include "prelude/prelude.clh"
#include "diffusion_lb/lattice.clh"
#include "diffusion_lb/edges.clh"
#include "diffusion_lb/pixels.clh"

#ifndef GROUP        // work-items of a group
#define GROUP 64
#endif
#ifndef RADIUS       // of the Gaussian, 0 to 6
#define RADIUS 3
#endif
#ifndef EDGES_GIVEN  // 1: 1 - omega is read from `keep`
#define EDGES_GIVEN 0
#endif
#ifndef HALF_STORAGE // 1: populations are halves
#define HALF_STORAGE 0
#endif
#ifndef AHEAD        // 1: rows are loaded while the row before them is computed: fewer work-items hide the memory's latency
#define AHEAD 0
#endif
#ifndef STEPS        // 2: a row that is complete collides again by the same edges, before it is written: half the bytes a step
#define STEPS 1
#endif
#ifndef WATCH        // 1: says how much the step changed, and does nothing to planes that are done
#define WATCH 0
#endif
#define HALO 8       // columns on either side, at least RADIUS + 1 + STEPS
#define HELD (HALF_STORAGE || STEPS == 2)                    // populations wait until their row is complete
#define HALO_ITEMS (HALO / PX)
#define SPAN (GROUP * PX - 2 * HALO)
#define SIDEWAYS (LATTICE == LATTICE_D2Q5 ? 2 : 6)                      // populations that change columns
#define DOWNWARD (LATTICE == LATTICE_D2Q5 ? 1 : 3)                      // populations that change to the next row
#include "diffusion_lb/strip.clh"
#if !EDGES_GIVEN
#include "diffusion_lb/smoothing.clh"
#endif

// gaussian_low, gaussian_high: the Gaussian from its centre on. b: as in edges.clh. first_row, end_row: what is written.
// rows: of a work-group, apart: from the first of one to the first of the next.
// first: populations are w_i I and are not read; last: only I is wanted. sums: of (I' - I)^2 and I^2, for each work-group.
KERNEL RESIDENT_GROUP(GROUP, 1, 1)
void fused_step(GLOBAL const float* RESTRICT in, GLOBAL float* RESTRICT out, GLOBAL const POPULATION* RESTRICT f_in,
                GLOBAL POPULATION* RESTRICT f_out, GLOBAL const float* RESTRICT keep, float4 gaussian_low, float4 gaussian_high,
                float b, float inverse_k2, int width, int height, int pitch, int first_row, int end_row, int apart, int rows,
                int first, int last, GLOBAL float2* RESTRICT sums, GLOBAL const int* RESTRICT states, ulong64 first_plane) {
#if !EDGES_GIVEN
    LOCAL_ARRAY2(VECTOR, smoothed, 2, GROUP);
#endif
    LOCAL_ARRAY2(float, passed, 2, SIDEWAYS * GROUP);
#if STEPS == 2
    LOCAL_ARRAY(float, passed_again, SIDEWAYS * GROUP);
#endif
#if WATCH
    LOCAL_ARRAY(float2, tree, GROUP);
#endif
    const struct Image at = {width, height, pitch};
    const int item = (int)get_local_id(0), x = (int)get_group_id(0) * SPAN - HALO + item * PX;
    const int top = first_row + (int)get_group_id(1) * apart, end = min(top + rows, end_row);
    const ulong64 z = get_group_id(2), plane = (ulong64)height * (ulong64)pitch;
#if WATCH
    if (states[first_plane + z] != 0) return;
    float changed = 0.0f, norm = 0.0f;
    float before[PX];
#endif
    in += z * plane;
    out += z * plane;
    f_in += z * MOVING * plane;
    f_out += z * MOVING * plane;
    const int collides = (item + 1) * PX > HALO - STEPS && item * PX < GROUP * PX - HALO + STEPS && x < width + STEPS;
    const int writes = item >= HALO_ITEMS && item < GROUP - HALO_ITEMS && x < width;

    float coming[PX], pending[PX];       // I' of row p from row p - 1, and of row p - 1 from rows p - 2 and p - 1
#pragma unroll
    EACH_PIXEL coming[j] = pending[j] = 0.0f;
#if HELD
    float down_new[DOWNWARD][PX], down_old[DOWNWARD][PX], across[2][PX];
#endif
#if STEPS == 2
    float coming_again[PX], pending_again[PX], kept_before[PX];
#pragma unroll
    EACH_PIXEL coming_again[j] = pending_again[j] = kept_before[j] = 0.0f;
#endif
#if EDGES_GIVEN
    keep += z * plane;
    const int begin = top - STEPS, stop = end + STEPS - 1;
#else
    const int begin = top - STEPS - 3, stop = end + STEPS - 1;
    struct Smoothing smoothing;
    clear_smoothing(&smoothing);
#pragma unroll
    for (int k = 0; k < 2 * RADIUS; ++k) load_pixels(in, x, begin + RADIUS + 1 - k, at, smoothing.window[k]);
#endif

#if AHEAD
    float next[MOVING][PX];
    clear(next);
#if EDGES_GIVEN
    if (collides && !first) load_populations(f_in, x, begin, at, next);
#else
    float row_ahead[PX];
    load_pixels(in, x, begin + RADIUS + 2, at, row_ahead);
#endif
#endif

    for (int p = begin; p <= stop; ++p) {   // the row that collides
        const int colliding = p >= top - STEPS, parity = p & 1;
        float f[MOVING][PX], now[PX], kept_part[PX];
#if !EDGES_GIVEN
        const int r = p + RADIUS + 2;
        float row[PX];
#if AHEAD
#pragma unroll
        EACH_PIXEL row[j] = row_ahead[j];
        if (r + 1 <= stop + RADIUS + 1) load_pixels(in, x, r + 1, at, row_ahead);
#else
#pragma unroll
        EACH_PIXEL row[j] = 0.0f;
        if (r <= stop + RADIUS + 1) load_pixels(in, x, r, at, row);
#endif
#endif
#if AHEAD
#pragma unroll
        EACH_POPULATION {
#pragma unroll
            EACH_PIXEL f[i][j] = next[i][j];
        }
        if (p + 1 >= top - STEPS && p < stop && collides && !first) load_populations(f_in, x, p + 1, at, next);
#else
        clear(f);
        if (colliding && collides && !first) load_populations(f_in, x, p, at, f);
#endif
#if EDGES_GIVEN
        if (collides) {
            load_pixels(in, x, p, at, now);
            load_pixels(keep, x, p, at, kept_part);
        } else {
#pragma unroll
            EACH_PIXEL now[j] = kept_part[j] = 0.0f;
        }
#else
        float down[PX];
        take_row(&smoothing, row, gaussian_low, gaussian_high, down);
        find_edges(&smoothing, b, inverse_k2, kept_part);
#pragma unroll
        EACH_PIXEL now[j] = smoothing.window[RADIUS + 2][j];
        smoothed[parity][item] = gathered(down);
#endif
        float rest[PX];
        if (colliding) {
#if !HALF_STORAGE
            if (!first) subtract_equilibrium(f, now);
#endif
            collide(f, now, kept_part, rest);
            pass_on(f, passed[parity], item);
        }
        BARRIER_LOCAL();   // two lines in turn, so that one barrier a row is enough

#if !EDGES_GIVEN
        smooth_row(&smoothing, down, smoothed[parity], item, gaussian_low, gaussian_high);
#endif
        if (!colliding) continue;

        change_columns(f, passed[parity], item);
        add_populations(f, -1, pending);   // row p - 1 is complete
        add_populations(f, 0, rest);
#if !HELD
#pragma unroll
        EACH_POPULATION {
            const int y = p + velocity_y(i);
            if (writes && !last && y >= top && y < end) store_population(f_out, i, x, y, at, f[i]);
        }
#endif
#if STEPS == 1
        if (writes && p > top) *(GLOBAL VECTOR*)(out + (ulong64)(p - 1) * (ulong64)pitch + (ulong64)x) = gathered(pending);
#endif
#if WATCH
#pragma unroll
        EACH_PIXEL {
            const float difference = pending[j] - before[j];
            if (writes && p > top && x + j < width) {
                changed = fma(difference, difference, changed);
                norm = fma(before[j], before[j], norm);
            }
        }
#endif
#if HELD
        float arrived[MOVING][PX];   // f' - w I' of row p - 1
        gather_row(f, down_new, down_old, across, arrived);
        subtract_equilibrium(arrived, pending);
#if STEPS == 1
        if (writes && !last && p > top) {
#pragma unroll
            EACH_POPULATION store_population(f_out, i, x, p - 1, at, arrived[i]);
        }
#endif
#endif
#if STEPS == 2
        if (p >= top) {   // row q = p - 1 collides again
            const int q = p - 1;
            float rest_again[PX];
            collide(arrived, pending, kept_before, rest_again);
            pass_on(arrived, passed_again, item);
            BARRIER_LOCAL();
            change_columns(arrived, passed_again, item);
            add_populations(arrived, -1, pending_again);
            add_populations(arrived, 0, rest_again);
            if (writes && q > top)
                *(GLOBAL VECTOR*)(out + (ulong64)(q - 1) * (ulong64)pitch + (ulong64)x) = gathered(pending_again);
#pragma unroll
            EACH_POPULATION {
                const int y = q + velocity_y(i);
                if (writes && !last && y >= top && y < end) store_population(f_out, i, x, y, at, arrived[i]);
            }
#pragma unroll
            EACH_PIXEL {
                pending_again[j] = coming_again[j] + rest_again[j];
                coming_again[j] = 0.0f;
            }
            add_populations(arrived, 1, coming_again);
        }
#pragma unroll
        EACH_PIXEL kept_before[j] = kept_part[j];
#endif
#pragma unroll
        EACH_PIXEL {
            pending[j] = coming[j] + rest[j];
            coming[j] = 0.0f;
#if WATCH
            before[j] = now[j];
#endif
        }
        add_populations(f, 1, coming);
    }

#if WATCH
    tree[item] = make_float2(changed, norm);
    BARRIER_LOCAL();
    if (item == 0) {
        float2 total = make_float2(0.0f, 0.0f);
        for (int i = 0; i < GROUP; ++i) total = total + tree[i];
        sums[(z * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)] = total;
    }
#endif
}
