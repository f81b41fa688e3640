// Complex transmission of a plane of beads.
//   clear   1 everywhere
//   stamp   a work-group a bead: only the bead's square is touched, and no two beads share a pixel
// Lengths are in radii of a bead. Opaque: 1 - coverage, 16 x 16 samples in the pixels that the edge may cross.
// Phase: exp(i 2 pi turns sqrt(1 - r^2)), a sphere, at the pixel's centre.
// beads: float4 (x, y of the nearest pixel, what is left over in pixels). Source: docs/hologram_simulate.md.
#include "prelude/prelude.clh"
#include "common/turns.clh"

#ifndef PHASE              // 0: opaque discs, 1: transparent spheres
#define PHASE 0
#endif
#define SAMPLES 16

KERNEL void clear(GLOBAL float2* RESTRICT transmission, uint width, uint height) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    transmission[(ulong64)y * width + x] = make_float2(1.0f, 0.0f);
}

#if !PHASE
// Share of the pixel about (u, v) inside the unit circle.
INLINE float coverage(float u, float v, float step_x, float step_y) {
    const float r = sqrt(fma(u, u, v * v)), half_diagonal = 0.5f * sqrt(fma(step_x, step_x, step_y * step_y));
    if (r > 1.0f + half_diagonal) return 0.0f;
    if (r < 1.0f - half_diagonal) return 1.0f;
    int inside = 0;
    for (int j = 0; j < SAMPLES; ++j) {
        const float y = fma(step_y, ((float)j + 0.5f) / SAMPLES - 0.5f, v);
        for (int i = 0; i < SAMPLES; ++i) {
            const float x = fma(step_x, ((float)i + 0.5f) / SAMPLES - 0.5f, u);
            inside += fma(x, x, y * y) <= 1.0f ? 1 : 0;
        }
    }
    return (float)inside / (SAMPLES * SAMPLES);
}
#endif

KERNEL void stamp(GLOBAL float2* RESTRICT transmission, GLOBAL const float4* RESTRICT beads, uint width, uint height,
                  float step_x, float step_y, float turns) {
    const float4 bead = beads[get_group_id(0)];
    // Reach from the nearest pixel: the radius, half a pixel of offset and half a pixel of the edge.
    const int reach_x = (int)ceil(1.0f / step_x) + 1, reach_y = (int)ceil(1.0f / step_y) + 1;
    const long64 columns = 2 * (long64)reach_x + 1, count = columns * (2 * (long64)reach_y + 1);
    const long64 group = (long64)get_local_size(0), step = group * (long64)get_num_groups(1);
    for (long64 i = (long64)get_group_id(1) * group + (long64)get_local_id(0); i < count; i += step) {
        const int p = (int)(i % columns) - reach_x, q = (int)(i / columns) - reach_y;
        const int x = (int)bead.x + p, y = (int)bead.y + q;
        if (x < 0 || y < 0 || x >= (int)width || y >= (int)height) continue;
        const float u = ((float)p - bead.z) * step_x, v = ((float)q - bead.w) * step_y;
        const ulong64 o = (ulong64)y * width + (ulong64)x;
#if PHASE
        const float r2 = fma(u, u, v * v);
        if (r2 < 1.0f) transmission[o] = cis_turns(turns_from_float(turns * sqrt(1.0f - r2)));
#else
        const float covered = coverage(u, v, step_x, step_y);
        if (covered > 0.0f) transmission[o] = make_float2(1.0f - covered, 0.0f);
#endif
    }
}
