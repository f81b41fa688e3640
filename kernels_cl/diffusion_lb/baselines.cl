// The source paper's steps, one work-item a pixel, every population kept and from one array to the other:
//   global_step    collides and sends each population to its neighbour, whatever the alignment
//   local_step     collides, shifts along the row in local memory, and writes aligned rows; what crosses from one work-group
//                  to the next goes to `crossings`, and local_edges brings it to its place
// f: [plane][LATTICE][height][pitch], the population at rest first. keep: 1 - omega.
// Source: Zhou, Yan, Huang 2014; the shift in local memory as in Toelke 2008.
#include "prelude/prelude.clh"
#include "diffusion_lb/lattice.clh"

#ifndef GROUP_X      // shape of a work-group
#define GROUP_X 64
#endif
#ifndef GROUP_Y
#define GROUP_Y 2
#endif
#define SIDEWAYS (LATTICE == LATTICE_D2Q5 ? 2 : 6)
#define REST_WEIGHT (LATTICE == LATTICE_D2Q5 ? 0.2f : 4.0f / 9.0f)

INLINE int sideways(int i) { return i < 2 ? i : i - 2; }

// I of a node and its populations after the collision; f[0] is at rest, f[i + 1] is number i of lattice.clh.
INLINE void collide(GLOBAL const float* node, ulong64 plane, float keep, float* f) {
    float intensity = 0.0f;
#pragma unroll
    for (int i = 0; i < LATTICE; ++i) {
        f[i] = node[(ulong64)i * plane];
        intensity += f[i];
    }
    float rest = intensity;
#pragma unroll
    for (int i = 1; i < LATTICE; ++i) {
        const float equilibrium = weight_of(i - 1) * intensity;
        f[i] = fma(keep, f[i] - equilibrium, equilibrium);
        rest -= f[i];
    }
    f[0] = rest;   // what is left of I: weights that add up to 1 + 2^-25 would feed a thousand steps
}

KERNEL void start(GLOBAL const float* RESTRICT intensity, GLOBAL float* RESTRICT f, int width, int height, int pitch) {
    const int x = (int)get_global_id(0);
    const ulong64 plane = (ulong64)height * (ulong64)pitch, z = get_group_id(2);
    if (x >= width) return;
    for (int y = (int)get_group_id(1); y < height; y += (int)get_num_groups(1)) {
        const ulong64 at = (ulong64)y * (ulong64)pitch + (ulong64)x;
        const float level = intensity[z * plane + at];
        for (int i = 0; i < LATTICE; ++i)
            f[(z * LATTICE + (ulong64)i) * plane + at] = (i == 0 ? REST_WEIGHT : weight_of(i - 1)) * level;
    }
}

KERNEL void intensity(GLOBAL const float* RESTRICT f, GLOBAL float* RESTRICT out, int width, int height, int pitch) {
    const int x = (int)get_global_id(0);
    const ulong64 plane = (ulong64)height * (ulong64)pitch, z = get_group_id(2);
    if (x >= width) return;
    for (int y = (int)get_group_id(1); y < height; y += (int)get_num_groups(1)) {
        const ulong64 at = (ulong64)y * (ulong64)pitch + (ulong64)x;
        float sum = 0.0f;
        for (int i = 0; i < LATTICE; ++i) sum += f[(z * LATTICE + (ulong64)i) * plane + at];
        out[z * plane + at] = sum;
    }
}

KERNEL REQUIRED_GROUP(GROUP_X, GROUP_Y, 1)
void global_step(GLOBAL const float* RESTRICT in, GLOBAL float* RESTRICT out, GLOBAL const float* RESTRICT keep, int width,
                 int height, int pitch) {
    const int x = (int)get_global_id(0);
    const ulong64 plane = (ulong64)height * (ulong64)pitch, z = get_group_id(2);
    if (x >= width) return;
    for (int y = (int)get_global_id(1); y < height; y += (int)get_global_size(1)) {
        const ulong64 at = (ulong64)y * (ulong64)pitch + (ulong64)x;
        float f[LATTICE];
        collide(in + z * LATTICE * plane + at, plane, keep[z * plane + at], f);
        GLOBAL float* to = out + z * LATTICE * plane;
        to[at] = f[0];
#pragma unroll
        for (int i = 0; i < MOVING; ++i) {
            const int column = x + velocity_x(i), row = y + velocity_y(i);
            const int beside = column < 0 || column >= width, outside = row < 0 || row >= height;
            const int turned = beside ? flipped_x(i) : i, target = outside ? flipped_y(turned) : turned;
            to[(ulong64)(target + 1) * plane + (ulong64)(outside ? y : row) * (ulong64)pitch + (ulong64)(beside ? x : column)] =
                f[i + 1];
        }
    }
}

// A row for a work-group; crossings: [plane][SIDEWAYS][height][groups of a row], the last (first) item's that go right (left).
KERNEL REQUIRED_GROUP(GROUP_X, 1, 1)
void local_step(GLOBAL const float* RESTRICT in, GLOBAL float* RESTRICT out, GLOBAL const float* RESTRICT keep,
                GLOBAL float* RESTRICT crossings, int width, int height, int pitch) {
    LOCAL_ARRAY2(float, line, SIDEWAYS, GROUP_X);
    const int item = (int)get_local_id(0), x = (int)get_global_id(0), groups = (int)get_num_groups(0),
              group = (int)get_group_id(0);
    const ulong64 plane = (ulong64)height * (ulong64)pitch, z = get_group_id(2);
    for (int y = (int)get_group_id(1); y < height; y += (int)get_num_groups(1)) {
        const ulong64 at = (ulong64)y * (ulong64)pitch + (ulong64)x;
        float f[LATTICE];
        if (x < width) {
            collide(in + z * LATTICE * plane + at, plane, keep[z * plane + at], f);
#pragma unroll
            for (int i = 0; i < MOVING; ++i) {
                if (velocity_x(i) == 0) continue;
                line[sideways(i)][item] = f[i + 1];
                if (item == (velocity_x(i) > 0 ? GROUP_X - 1 : 0))
                    crossings[((z * SIDEWAYS + (ulong64)sideways(i)) * (ulong64)height + (ulong64)y) * (ulong64)groups +
                              (ulong64)group] = f[i + 1];
            }
        }
        BARRIER_LOCAL();
        if (x < width) {
            GLOBAL float* to = out + z * LATTICE * plane;
            to[at] = f[0];
#pragma unroll
            for (int i = 0; i < MOVING; ++i) {
                const int from = item - velocity_x(i), column = x - velocity_x(i), row = y + velocity_y(i);
                const int beside = column < 0 || column >= width, outside = row < 0 || row >= height;
                if (!beside && (from < 0 || from >= GROUP_X)) continue;   // comes from another group
                const float value = velocity_x(i) == 0 ? f[i + 1]
                                  : beside             ? line[sideways(flipped_x(i))][item]
                                                       : line[sideways(i)][from];
                const int target = outside ? flipped_y(i) : i;
                to[(ulong64)(target + 1) * plane + (ulong64)(outside ? y : row) * (ulong64)pitch + (ulong64)x] = value;
            }
        }
        BARRIER_LOCAL();
    }
}

// A work-item for each border between two work-groups of a row: `groups` - 1 of them.
KERNEL void local_edges(GLOBAL const float* RESTRICT crossings, GLOBAL float* RESTRICT out, int groups, int height, int pitch) {
    const int border = (int)get_global_id(0);
    const ulong64 plane = (ulong64)height * (ulong64)pitch, z = get_group_id(2);
    if (border >= groups - 1) return;
    for (int y = (int)get_group_id(1); y < height; y += (int)get_num_groups(1)) {
        for (int i = 0; i < MOVING; ++i) {
            if (velocity_x(i) == 0) continue;
            const int right = velocity_x(i) > 0, row = y + velocity_y(i), outside = row < 0 || row >= height;
            const int target = outside ? flipped_y(i) : i, x = (border + 1) * GROUP_X - (right ? 0 : 1);
            const ulong64 from = ((z * SIDEWAYS + (ulong64)sideways(i)) * (ulong64)height + (ulong64)y) * (ulong64)groups +
                                 (ulong64)(right ? border : border + 1);
            out[(z * LATTICE + (ulong64)(target + 1)) * plane + (ulong64)(outside ? y : row) * (ulong64)pitch + (ulong64)x] =
                crossings[from];
        }
    }
}
