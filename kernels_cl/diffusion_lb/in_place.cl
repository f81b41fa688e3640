// Steps in one array of populations: half the memory of two arrays that take turns. Every pixel reads and writes the same slots,
// so no work-item waits for another. In turn
//   here     a pixel's populations have arrived in its own slots; they collide, and f*_i is left in slot opposite(i)
//   across   what arrives from direction i is in slot opposite(i) of the neighbour it comes from; it collides, and f*_i goes to
//            slot i of the neighbour it goes to: the slot that opposite(i) was read from
// Outside the image the neighbour is the pixel itself, mirrored, and the population is flipped. I is what all of a pixel's
// populations add up to, and after `here` only its neighbours know those: the edges must stay for two steps.
// f: [plane][LATTICE][height][pitch], the population at rest first. keep: 1 - omega.
// Method: docs/diffusion_lb.md; the pattern is Bailey et al. 2009.
#include "prelude/prelude.clh"
#include "diffusion_lb/lattice.clh"

#ifndef GROUP        // work-items of a group, side by side in a row
#define GROUP 128
#endif
#ifndef ACROSS       // 0: here; 1: across
#define ACROSS 0
#endif

struct Pixel {
    int x, y, width, height, pitch;
    ulong64 plane;
};

INLINE int opposite(int i) { return flipped_x(flipped_y(i)); }

// Where the neighbour in direction `i` has slot `slot`, both flipped where the neighbour is outside.
INLINE ulong64 neighbour(struct Pixel at, int i, int slot) {
    const int x = at.x + velocity_x(i), y = at.y + velocity_y(i);
    const int beside = x < 0 || x >= at.width, outside = y < 0 || y >= at.height;
    const int turned = beside ? flipped_x(slot) : slot, target = outside ? flipped_y(turned) : turned;
    return (ulong64)(target + 1) * at.plane + (ulong64)(outside ? at.y : y) * (ulong64)at.pitch + (ulong64)(beside ? at.x : x);
}

// The slot of population i that arrives in this step, and of i that leaves.
INLINE ulong64 source(struct Pixel at, int i) {
#if ACROSS
    return neighbour(at, opposite(i), opposite(i));
#else
    return (ulong64)(i + 1) * at.plane + (ulong64)at.y * (ulong64)at.pitch + (ulong64)at.x;
#endif
}

KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void in_place_step(GLOBAL float* f, GLOBAL const float* RESTRICT keep, int width, int height, int pitch) {
    struct Pixel at;
    at.x = (int)get_global_id(0);
    at.width = width;
    at.height = height;
    at.pitch = pitch;
    at.plane = (ulong64)height * (ulong64)pitch;
    if (at.x >= width) return;
    f += get_group_id(2) * LATTICE * at.plane;
    keep += get_group_id(2) * at.plane;
    for (at.y = (int)get_group_id(1); at.y < height; at.y += (int)get_num_groups(1)) {
        const ulong64 own = (ulong64)at.y * (ulong64)pitch + (ulong64)at.x;
        float moving[MOVING], intensity = f[own];
#pragma unroll
        for (int i = 0; i < MOVING; ++i) moving[i] = f[source(at, i)];
#pragma unroll
        for (int i = 0; i < MOVING; ++i) intensity += moving[i];
        const float kept_part = keep[own];
        float rest = intensity;
#pragma unroll
        for (int i = 0; i < MOVING; ++i) {
            const float equilibrium = weight_of(i) * intensity;
            moving[i] = fma(kept_part, moving[i] - equilibrium, equilibrium);
            rest -= moving[i];   // what is left of I, so that nothing is lost
        }
        f[own] = rest;
#pragma unroll
        for (int i = 0; i < MOVING; ++i) f[source(at, opposite(i))] = moving[i];
    }
}

// What the populations add up to before a step of this kind.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void in_place_intensity(GLOBAL const float* RESTRICT f, GLOBAL float* RESTRICT out, int width, int height, int pitch) {
    struct Pixel at;
    at.x = (int)get_global_id(0);
    at.width = width;
    at.height = height;
    at.pitch = pitch;
    at.plane = (ulong64)height * (ulong64)pitch;
    if (at.x >= width) return;
    f += get_group_id(2) * LATTICE * at.plane;
    for (at.y = (int)get_group_id(1); at.y < height; at.y += (int)get_num_groups(1)) {
        const ulong64 own = (ulong64)at.y * (ulong64)pitch + (ulong64)at.x;
        float sum = f[own];
#pragma unroll
        for (int i = 0; i < MOVING; ++i) sum += f[source(at, i)];
        out[get_group_id(2) * at.plane + own] = sum;
    }
}
