// The set to be counted as bits, where it is not the array as it stands: 32 voxels along x a word, lowest bit first, rows of
// whole 16 bytes. One work-item a word; groups go round. A slice has several rows, or one where the array is an image.
//   mask_bits      voxels of a band -> bits; through `map`, the source of each sampled x, then row, then slice, where RESAMPLE
//   mask_outline   set voxels that have a neighbour (26, or 8 in an image) which is not; what lies outside counts as set
//   mask_box       lowest x, row and slice of any set voxel, by band, then the highest, each less all ones (~x), so that the
//                  lower one wins there too; all ones: there is none
//   mask_shift     the grid moved by (sx, sy, sz), and where FROM_BOX back by the band's corner
// Of an array that comes in slabs only `height` slices are there, slice z at the place z % height, and a launch takes `count`
// of them from the slice `first` on.
#include "prelude/prelude.clh"
#include "box_count/voxels.clh"

#ifndef RESAMPLE           // 1: voxels are taken from where `map` says
#define RESAMPLE 0
#endif
#ifndef FROM_BOX           // 1: the grid moves back by the corner of the set voxels, too
#define FROM_BOX 0
#endif

// base: the slice of the source that `volume` begins with. to: the place of the first slice.
KERNEL void mask_bits(GLOBAL const ELEMENT* RESTRICT volume, GLOBAL const VALUE* RESTRICT bands, GLOBAL const uint* RESTRICT map,
                      GLOBAL uint* RESTRICT bits, uint width, uint source_rows, uint base, uint nx, uint rows, uint words,
                      uint label, uint first, uint count, uint to) {
    const VALUE low = bands[2 * label], high = bands[2 * label + 1];
    const ulong64 slice = (ulong64)words * rows, all = slice * count;
    for (ulong64 i = get_global_id(0); i < all; i += get_global_size(0)) {
        const uint x = (uint)(i % words) * 32, y = (uint)(i / words % rows), z = first + (uint)(i / slice);
#if RESAMPLE
        const ulong64 row = ((ulong64)(map[nx + rows + z] - base) * source_rows + map[nx + y]) * width;
#else
        const ulong64 row = ((ulong64)(z - base) * source_rows + y) * width;
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
        bits[to * slice + i] = word;
    }
}

// Bits of word w of row (y, z), all that is outside set.
INLINE uint or_outside(GLOBAL const uint* bits, int w, int y, int z, uint nx, uint rows, uint slices, uint words, uint height) {
    if (w < 0 || w >= (int)words || y < 0 || y >= (int)rows || z < 0 || z >= (int)slices || 32u * (uint)w >= nx)
        return 0xffffffffu;
    const uint inside = nx - 32u * (uint)w;
    return bits[((ulong64)((uint)z % height) * rows + y) * words + w] | (inside < 32 ? 0xffffffffu << inside : 0u);
}

KERNEL void mask_outline(GLOBAL const uint* RESTRICT bits, GLOBAL uint* RESTRICT outline, uint nx, uint rows, uint slices,
                         uint words, uint height, uint outline_height, uint first, uint count) {
    const ulong64 slice = (ulong64)words * rows, all = slice * count;
    for (ulong64 i = get_global_id(0); i < all; i += get_global_size(0)) {
        const int w = (int)(i % words), y = (int)(i / words % rows), z = (int)(first + (uint)(i / slice));
        uint inner = 0xffffffffu;
        for (int dz = -1; dz <= 1; ++dz)
            for (int dy = -1; dy <= 1; ++dy) {
                const uint here = or_outside(bits, w, y + dy, z + dz, nx, rows, slices, words, height);
                const uint before = or_outside(bits, w - 1, y + dy, z + dz, nx, rows, slices, words, height);
                const uint after = or_outside(bits, w + 1, y + dy, z + dz, nx, rows, slices, words, height);
                inner &= here & (here << 1 | before >> 31) & (here >> 1 | after << 31);
            }
        const ulong64 in_slice = i % slice;
        outline[(uint)z % outline_height * slice + in_slice] = bits[(uint)z % height * slice + in_slice] & ~inner;
    }
}

KERNEL void mask_box(GLOBAL const uint* RESTRICT bits, GLOBAL uint* RESTRICT corners, uint rows, uint words, uint height,
                     uint label, uint first, uint count) {
    const ulong64 slice = (ulong64)words * rows, all = slice * count;
    GLOBAL uint* corner = corners + 6 * label;
    uint left = 0xffffffffu, front = 0xffffffffu, bottom = 0xffffffffu, right = 0, back = 0, top = 0;
    for (ulong64 i = get_global_id(0); i < all; i += get_global_size(0)) {
        const uint z = first + (uint)(i / slice), word = bits[z % height * slice + i % slice];
        if (word == 0) continue;
        const uint x = 32u * (uint)(i % words), y = (uint)(i / words % rows);
        left = min(left, x + popcount((word & (0u - word)) - 1u));
        front = min(front, y);
        bottom = min(bottom, z);
        right = max(right, x + 31u - clz(word));
        back = max(back, y);
        top = max(top, z);
    }
    if (left == 0xffffffffu) return;
    atomic_min(&corner[0], left);
    atomic_min(&corner[1], front);
    atomic_min(&corner[2], bottom);
    atomic_min(&corner[3], ~right);
    atomic_min(&corner[4], ~back);
    atomic_min(&corner[5], ~top);
}

// moved: `count` slices of the grid; sz is that of the first, less its place in the grid.
KERNEL void mask_shift(GLOBAL const uint* RESTRICT bits, GLOBAL const uint* RESTRICT corners, GLOBAL uint* RESTRICT moved,
                       uint rows, uint slices, uint words, uint height, uint label, uint moved_rows, uint moved_words, uint count,
                       uint sx, uint sy, uint sz) {
    int back_x = 0, back_y = 0, back_z = 0;
#if FROM_BOX
    GLOBAL const uint* corner = corners + 6 * label;
    if (corner[0] != 0xffffffffu) back_x = (int)corner[0], back_y = (int)corner[1], back_z = (int)corner[2];
#endif
    const ulong64 all = (ulong64)moved_words * moved_rows * count;
    for (ulong64 i = get_global_id(0); i < all; i += get_global_size(0)) {
        const int x = (int)(i % moved_words) * 32 - (int)sx + back_x, y = (int)(i / moved_words % moved_rows) - (int)sy + back_y;
        const int z = (int)(i / moved_words / moved_rows) - (int)sz + back_z;
        uint word = 0;
        if (y >= 0 && y < (int)rows && z >= 0 && z < (int)slices) {
            const int w = x >> 5;   // towards minus infinity
            const uint shift = (uint)x & 31u;
            GLOBAL const uint* row = bits + ((ulong64)((uint)z % height) * rows + y) * words;
            if (w >= 0 && w < (int)words) word = row[w] >> shift;
            if (shift != 0 && w + 1 >= 0 && w + 1 < (int)words) word |= row[w + 1] << (32u - shift);
        }
        moved[i] = word;
    }
}
