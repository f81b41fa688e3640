// The set to be counted as bits, where it is not the array as it stands: 32 voxels along x a word, lowest bit first, rows of
// whole 16 bytes. One work-item a word; groups go round.
//   mask_bits      voxels of a band, from a row on -> bits, from a row on; through `map`, the source index of each sampled x, then y, then z, where RESAMPLE
//   mask_outline   set voxels that have a neighbour (26, or 8 in an image) which is not; what lies outside counts as set
//   mask_clear, mask_box   lowest x, y, z of any set voxel; all ones: there is none
//   mask_shift     the grid moved by (sx, sy, sz), and where FROM_BOX back by the box's corner
#include "prelude/prelude.clh"
#include "box_count/voxels.clh"

#ifndef DIMS       // 3 volume, 2 image
#define DIMS 3
#endif
#ifndef RESAMPLE
#define RESAMPLE 0
#endif
#ifndef FROM_BOX
#define FROM_BOX 0
#endif

KERNEL void mask_bits(GLOBAL const ELEMENT* RESTRICT volume, GLOBAL const VALUE* RESTRICT bands, GLOBAL const uint* RESTRICT map, GLOBAL uint* RESTRICT bits,
                      uint width, uint height, uint nx, uint ny, uint nz, uint words, uint label, uint from_row, uint to_row) {
    const VALUE low = bands[2 * label], high = bands[2 * label + 1];
    const ulong64 count = (ulong64)words * ny * nz;
    for (ulong64 i = get_global_id(0); i < count; i += get_global_size(0)) {
        const uint x = (uint)(i % words) * 32, y = (uint)(i / words % ny), z = (uint)(i / words / ny);
#if RESAMPLE
        const ulong64 row = ((ulong64)map[nx + ny + z] * height + map[nx + y]) * width;
#else
        const ulong64 row = ((ulong64)z * height + y + from_row) * width;
#endif
        uint word = 0;
        for (uint b = 0; b < 32 && x + b < nx; ++b) {
#if RESAMPLE
            const ulong64 at = row + map[x + b];
#else
            const ulong64 at = row + x + b;
#endif
            word |= SET_AT(volume, at, low, high) << b;
        }
        bits[i + (ulong64)to_row * words] = word;
    }
}

// Bits of word w of row (y, z), all that is outside set.
INLINE uint or_outside(GLOBAL const uint* bits, int w, int y, int z, uint nx, uint ny, uint nz, uint words) {
    if (w < 0 || w >= (int)words || y < 0 || y >= (int)ny || z < 0 || z >= (int)nz || 32u * (uint)w >= nx) return 0xffffffffu;
    const uint inside = nx - 32u * (uint)w;
    return bits[((ulong64)z * ny + y) * words + w] | (inside < 32 ? 0xffffffffu << inside : 0u);
}

KERNEL void mask_outline(GLOBAL const uint* RESTRICT bits, GLOBAL uint* RESTRICT outline, uint nx, uint ny, uint nz, uint words) {
    const ulong64 count = (ulong64)words * ny * nz;
    for (ulong64 i = get_global_id(0); i < count; i += get_global_size(0)) {
        const int w = (int)(i % words), y = (int)(i / words % ny), z = (int)(i / words / ny);
        uint inner = 0xffffffffu;
        for (int dz = DIMS == 3 ? -1 : 0; dz <= (DIMS == 3 ? 1 : 0); ++dz)
            for (int dy = -1; dy <= 1; ++dy) {
                const uint here = or_outside(bits, w, y + dy, z + dz, nx, ny, nz, words);
                const uint before = or_outside(bits, w - 1, y + dy, z + dz, nx, ny, nz, words), after = or_outside(bits, w + 1, y + dy, z + dz, nx, ny, nz, words);
                inner &= here & (here << 1 | before >> 31) & (here >> 1 | after << 31);
            }
        outline[i] = bits[i] & ~inner;
    }
}

KERNEL void mask_clear(GLOBAL uint* RESTRICT corner) {
    if (get_global_id(0) < 3) corner[get_global_id(0)] = 0xffffffffu;
}

KERNEL void mask_box(GLOBAL const uint* RESTRICT bits, GLOBAL uint* RESTRICT corner, uint ny, uint nz, uint words) {
    const ulong64 count = (ulong64)words * ny * nz;
    uint left = 0xffffffffu, front = 0xffffffffu, bottom = 0xffffffffu;
    for (ulong64 i = get_global_id(0); i < count; i += get_global_size(0)) {
        const uint word = bits[i];
        if (word == 0) continue;
        left = min(left, 32u * (uint)(i % words) + popcount((word & (0u - word)) - 1u));
        front = min(front, (uint)(i / words % ny));
        bottom = min(bottom, (uint)(i / words / ny));
    }
    if (left == 0xffffffffu) return;
    atomic_min(&corner[0], left);
    atomic_min(&corner[1], front);
    atomic_min(&corner[2], bottom);
}

KERNEL void mask_shift(GLOBAL const uint* RESTRICT bits, GLOBAL const uint* RESTRICT corner, GLOBAL uint* RESTRICT moved, uint ny, uint nz, uint words,
                       uint moved_ny, uint moved_nz, uint moved_words, uint sx, uint sy, uint sz) {
    int back_x = 0, back_y = 0, back_z = 0;
#if FROM_BOX
    if (corner[0] != 0xffffffffu) back_x = (int)corner[0], back_y = (int)corner[1], back_z = (int)corner[2];
#endif
    const ulong64 count = (ulong64)moved_words * moved_ny * moved_nz;
    for (ulong64 i = get_global_id(0); i < count; i += get_global_size(0)) {
        const int x = (int)(i % moved_words) * 32 - (int)sx + back_x, y = (int)(i / moved_words % moved_ny) - (int)sy + back_y;
        const int z = (int)(i / moved_words / moved_ny) - (int)sz + back_z;
        uint word = 0;
        if (y >= 0 && y < (int)ny && z >= 0 && z < (int)nz) {
            const int w = x >> 5;   // towards minus infinity
            const uint shift = (uint)x & 31u;
            GLOBAL const uint* row = bits + ((ulong64)z * ny + y) * words;
            if (w >= 0 && w < (int)words) word = row[w] >> shift;
            if (shift != 0 && w + 1 >= 0 && w + 1 < (int)words) word |= row[w + 1] << (32u - shift);
        }
        moved[i] = word;
    }
}
