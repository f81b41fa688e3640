// Two steps of diffusion in one launch, each with edges of its own: what fused.cl completes at row q goes into a second
// smoothing on the way down, waits until the edges of its row are known, DELAY rows later, collides again and is written.
// Half the bytes a step for twice the halo: 2 RADIUS + 4 rows and columns on either side are computed again by the
// neighbouring work-groups. Two barriers a row. The result is that of two steps of fused.cl but for the rounding of sums at
// the borders of the image, where a mirrored row adds the same numbers in another order.
//
//   row            s - 1          s = q - DELAY        ..   q = p - 1          p                    ..   p + RADIUS + 2
//   first step                                              I' complete        collides                  read
//   second step    I'' written    collides                  smoothed next
//
// in, out: I [plane][height][pitch]; f_in, f_out: [plane][MOVING][height][pitch]. Method: docs/diffusion_lb.md.
#include "prelude/prelude.clh"
#include "diffusion_lb/lattice.clh"
#include "diffusion_lb/edges.clh"
#include "diffusion_lb/pixels.clh"

#ifndef GROUP        // work-items of a group
#define GROUP 256
#endif
#ifndef RADIUS       // of the Gaussian, 0 to 6
#define RADIUS 3
#endif
#define HALF_STORAGE 0
#define HALO 16      // columns on either side, at least 2 RADIUS + 4
#define HALO_ITEMS (HALO / PX)
#define SPAN (GROUP * PX - 2 * HALO)
#define SIDEWAYS (LATTICE == LATTICE_D2Q5 ? 2 : 6)                      // populations that change columns
#define DOWNWARD (LATTICE == LATTICE_D2Q5 ? 1 : 3)                      // populations that change to the next row
#define REACH (RADIUS + 3)                                   // rows and columns outside that the first step collides
#define DELAY (RADIUS + 2)                                   // rows from the completion of a row to its second collision
#include "diffusion_lb/strip.clh"
#include "diffusion_lb/smoothing.clh"

// Arguments as in fused.cl.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void fused_two_steps(GLOBAL const float* RESTRICT in, GLOBAL float* RESTRICT out, GLOBAL const float* RESTRICT f_in,
                     GLOBAL float* RESTRICT f_out, float4 gaussian_low, float4 gaussian_high, float b, float inverse_k2,
                     int width, int height, int pitch, int first_row, int end_row, int apart, int rows, int first, int last) {
    LOCAL_ARRAY2(VECTOR, smoothed, 2, GROUP);
    LOCAL_ARRAY2(float, passed, 2, SIDEWAYS * GROUP);
    LOCAL_ARRAY(VECTOR, smoothed_again, GROUP);
    LOCAL_ARRAY(float, passed_again, SIDEWAYS * GROUP);
    const struct Image at = {width, height, pitch};
    const int item = (int)get_local_id(0), x = (int)get_group_id(0) * SPAN - HALO + item * PX;
    const int top = first_row + (int)get_group_id(1) * apart, end = min(top + rows, end_row);
    const ulong64 z = get_group_id(2), plane = (ulong64)height * (ulong64)pitch;
    in += z * plane;
    out += z * plane;
    f_in += z * MOVING * plane;
    f_out += z * MOVING * plane;
    const int collides = (item + 1) * PX > HALO - REACH && item * PX < GROUP * PX - HALO + REACH && x < width + REACH;
    const int writes = item >= HALO_ITEMS && item < GROUP - HALO_ITEMS && x < width;

    struct Smoothing once, again;
    clear_smoothing(&once);
    clear_smoothing(&again);
    float coming[PX], pending[PX], coming_again[PX], pending_again[PX];
    float down_new[DOWNWARD][PX], down_old[DOWNWARD][PX], across[2][PX];
    float waiting[DELAY][MOVING][PX];   // f' - w I' of rows q - 1, q - 2, ...
#pragma unroll
    EACH_PIXEL coming[j] = pending[j] = coming_again[j] = pending_again[j] = across[0][j] = across[1][j] = 0.0f;
#pragma unroll
    for (int k = 0; k < DOWNWARD; ++k)
#pragma unroll
        EACH_PIXEL down_new[k][j] = down_old[k][j] = 0.0f;
#pragma unroll
    for (int k = 0; k < DELAY; ++k) clear(waiting[k]);

    const int begin = top - REACH - 3, stop = end + REACH;
#pragma unroll
    for (int k = 0; k < 2 * RADIUS; ++k) load_pixels(in, x, begin + RADIUS + 1 - k, at, once.window[k]);

    for (int p = begin; p <= stop; ++p) {   // the row that collides for the first time
        const int colliding = p >= top - REACH, parity = p & 1;
        float f[MOVING][PX], row[PX], down[PX], now[PX], kept_part[PX], rest[PX];
        load_pixels(in, x, p + RADIUS + 2, at, row);
        clear(f);
        if (colliding && collides && !first) load_populations(f_in, x, p, at, f);
        take_row(&once, row, gaussian_low, gaussian_high, down);
        find_edges(&once, b, inverse_k2, kept_part);
#pragma unroll
        EACH_PIXEL now[j] = once.window[RADIUS + 2][j];
        smoothed[parity][item] = gathered(down);
        if (colliding) {
            if (!first) subtract_equilibrium(f, now);
            collide(f, now, kept_part, rest);
            pass_on(f, passed[parity], item);
        }
        BARRIER_LOCAL();
        smooth_row(&once, down, smoothed[parity], item, gaussian_low, gaussian_high);
        if (!colliding) continue;

        change_columns(f, passed[parity], item);
        add_populations(f, -1, pending);   // row q = p - 1 is complete
        add_populations(f, 0, rest);
        float arrived[MOVING][PX];
        gather_row(f, down_new, down_old, across, arrived);
        subtract_equilibrium(arrived, pending);

        const int s = p - 1 - DELAY, colliding_again = s >= top - 1;   // the row that collides for the second time
        float repeated[MOVING][PX], down_again[PX], now_again[PX], kept_again[PX], rest_again[PX];
        take_row(&again, pending, gaussian_low, gaussian_high, down_again);
        find_edges(&again, b, inverse_k2, kept_again);
#pragma unroll
        EACH_POPULATION {
#pragma unroll
            EACH_PIXEL repeated[i][j] = waiting[DELAY - 1][i][j];
        }
#pragma unroll
        for (int k = DELAY - 1; k > 0; --k)
#pragma unroll
            EACH_POPULATION {
#pragma unroll
                EACH_PIXEL waiting[k][i][j] = waiting[k - 1][i][j];
            }
#pragma unroll
        EACH_POPULATION {
#pragma unroll
            EACH_PIXEL waiting[0][i][j] = arrived[i][j];
        }
#pragma unroll
        EACH_PIXEL now_again[j] = again.window[RADIUS + 2][j];
        smoothed_again[item] = gathered(down_again);
        collide(repeated, now_again, kept_again, rest_again);
        pass_on(repeated, passed_again, item);
        BARRIER_LOCAL();
        smooth_row(&again, down_again, smoothed_again, item, gaussian_low, gaussian_high);
        if (colliding_again) {
            change_columns(repeated, passed_again, item);
            add_populations(repeated, -1, pending_again);
            add_populations(repeated, 0, rest_again);
            if (writes && s > top)
                *(GLOBAL VECTOR*)(out + (ulong64)(s - 1) * (ulong64)pitch + (ulong64)x) = gathered(pending_again);
#pragma unroll
            EACH_POPULATION {
                const int y = s + velocity_y(i);
                if (writes && !last && y >= top && y < end) store_population(f_out, i, x, y, at, repeated[i]);
            }
#pragma unroll
            EACH_PIXEL {
                pending_again[j] = coming_again[j] + rest_again[j];
                coming_again[j] = 0.0f;
            }
            add_populations(repeated, 1, coming_again);
        }
#pragma unroll
        EACH_PIXEL {
            pending[j] = coming[j] + rest[j];
            coming[j] = 0.0f;
        }
        add_populations(f, 1, coming);
    }
}
