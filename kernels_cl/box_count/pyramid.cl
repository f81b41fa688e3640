// Boxes by a pyramid of two bits, any and all, in two launches; every voxel is read once. What lies outside is not set.
//
//            box_tiles: a work-group a row of WIDE tiles                                       box_tops: one work-group
//   edge     1       2       4   |   4       8      16   |   16      32  ..  TILE  |   TILE    2 TILE  ..  the whole grid
//   from     voxels or bits      |   cells               |   middles               |   tops
//   by       bits in registers   |   bits of four words  |   8 flags each          |   8 flags each
//   to       cells               |   middles             |   middles in turns      |   local memory in turns, once they fit
//
//   cell     a byte: four boxes of 4 along x, bits 0 to 3 any, bits 4 to 7 all; a word: four rows of them
//   middle   a byte: a box, any | all << 1;  top: the same of a whole tile
//
//   box_tiles   tiles have TILE voxels a side; those of a group stand side by side along x. How many boxes of each edge have any
//               and all of their voxels set goes to counts[label][column][group], the flags of whole tiles to tops.
//               Columns: 0 set voxels; 2 m - 1 and 2 m any and all of edge 2^m.
//   box_tops    work-group 0 folds the tiles' flags up to the whole grid, in local memory once they fit; meanwhile work-group
//               1 + c adds up column c of the counts.
// GROUP 1 (CPUs): no barriers, a tile a work-item.
#include "prelude/prelude.clh"
#include "box_count/voxels.clh"

#ifndef DIMS         // 3 volume, 2 image
#define DIMS 3
#endif
#ifndef TILE         // 32, 64 or 128
#define TILE 64
#endif
#ifndef TILE_BITS    // log2 of TILE
#define TILE_BITS 6
#endif
#ifndef WIDE         // tiles that a work-group takes
#define WIDE 1
#endif
#ifndef GROUP        // work-items of a group, a power of two; 1 for CPUs
#define GROUP 256
#endif
#ifndef ALIGNED      // 1: rows begin at multiples of 16 bytes
#define ALIGNED 1
#endif
#if DIMS == 3
#define DEEP(n) (n)
#else
#define DEEP(n) 1
#endif
#define COLUMNS (2 * TILE_BITS - 1)
#define QUADS (TILE / 16)                            // boxes of 16, along y and z
#define ACROSS (WIDE * QUADS)                        // and along x
#define ROWS (TILE / 4)                              // boxes of 4, along y and z
#define PIECES (ACROSS * ROWS * DEEP(ROWS))          // bytes of `cells`
#define WORDS (ACROSS < 8 ? ACROSS / 2 : 4)          // of bits along x, for a work-item
#define BLOCKS_X (ACROSS / 2 / WORDS)
#define BLOCKS (BLOCKS_X * ROWS * DEEP(ROWS))        // what work-items take of bits
#define FLAGS 2048                                   // that box_tops keeps of a size in local memory
#define LEVELS (31 - TILE_BITS)                      // sizes from whole tiles on
#define MIDDLES (ACROSS * QUADS * DEEP(QUADS))       // boxes of 16
#if GROUP == 1
#define SYNC()
#define SYNC_ALL()
#define ADD(place, value) (*(place) += (value))
#define SPREAD 1
#define IN_FLIGHT
#else
#define SYNC() BARRIER_LOCAL()
#define SYNC_ALL() BARRIER_ALL()
#define ADD(place, value) atomic_add(place, value)
#define SPREAD 32                                    // places for sums, so that lanes do not wait for each other
#define IN_FLIGHT _Pragma("unroll")                  // all loads; a processor's compiler would only take longer
#endif

// Where the work-group's tiles begin, and how large the volume is.
struct Tiles {
    uint left, front, low_z, width, height, depth;
};
// Set voxels, and boxes of 2 with any and with all of theirs set.
struct Found {
    uint set, any_2, all_2;
};
// take_pieces(): reads the work-group's tiles, and leaves boxes of 4 in `cell`.
#if PACKED
#include "box_count/pyramid_bits.clh"
#else
#include "box_count/pyramid_voxels.clh"
#endif

// first_band: where the bands of these labels begin.
// base, first_set: of an array that comes in layers or band by band, the number of its first row of tiles and set.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void box_tiles(GLOBAL const ELEMENT* RESTRICT volume, GLOBAL const VALUE* RESTRICT bands, GLOBAL uchar* RESTRICT tops,
               GLOBAL uint* RESTRICT counts, uint width, uint height, uint depth, uint tiles_x, uint tiles_y, uint tiles,
               uint labels, uint base, uint first_set, uint first_band) {
    LOCAL_ARRAY(uint, cells, (PIECES + 3) / 4);   // a byte a piece: boxes of 4 along x, any in bits 0 to 3, all in 4 to 7
    LOCAL_ARRAY(uchar, middles, 2 * MIDDLES);     // any | all << 1
    LOCAL_ARRAY(uint, spread, 3 * SPREAD);
    LOCAL_ARRAY(uint, sums, COLUMNS);
    LOCAL uchar* cell = (LOCAL uchar*)cells;
    const uint group = (uint)get_group_id(0), lane = (uint)get_local_id(0);
    const uint groups_x = (tiles_x + WIDE - 1) / WIDE, row_of_tiles = group / groups_x, first_x = group % groups_x * WIDE;
    const struct Tiles at = {first_x * TILE, row_of_tiles % tiles_y * TILE, row_of_tiles / tiles_y * TILE, width, height, depth};

    for (uint label = 0; label < labels; ++label) {
        const VALUE low = bands[2 * (first_band + label)], high = bands[2 * (first_band + label) + 1];
        for (uint i = lane; i < 3 * SPREAD; i += GROUP) spread[i] = 0;
        for (uint i = lane; i < COLUMNS; i += GROUP) sums[i] = 0;
        SYNC();

        struct Found found = {0, 0, 0};
        take_pieces(volume, at, low, high, lane, cell, &found);
        ADD(&spread[lane % SPREAD], found.set);
        ADD(&spread[SPREAD + lane % SPREAD], found.any_2);
        ADD(&spread[2 * SPREAD + lane % SPREAD], found.all_2);
        SYNC();

        // Boxes of 16: four words of four bytes, a word a slice, a byte a row.
        for (uint q = lane; q < MIDDLES; q += GROUP) {
            const uint qx = q % ACROSS, qy = q / ACROSS % QUADS, qz = q / ACROSS / QUADS;
            uint any_4 = 0, all_4 = 0, any_8 = 0, all_8 = 0, any_16 = 0, all_16 = 0xffffffffu;
#pragma unroll
            for (uint v = 0; v < DEEP(2); ++v) {
                uint any = 0, all = 0xffffffffu;
#pragma unroll
                for (uint dz = 0; dz < DEEP(2); ++dz) {
                    const uint four = cells[((4 * qz + 2 * v + dz) * ACROSS + qx) * (ROWS / 4) + qy];
                    any_4 += popcount(four & 0x0f0f0f0fu);
                    all_4 += popcount(four & 0xf0f0f0f0u);
                    any |= four;
                    all &= four;
                }
                any |= any >> 8;
                all &= all >> 8;
                any = (any | any >> 1) & 0x00050005u;
                all = (all & all >> 1) & 0x00500050u;
                any_8 += popcount(any);
                all_8 += popcount(all);
                any_16 |= any | any >> 16;
                all_16 &= all & all >> 16;
            }
            any_16 = (any_16 | any_16 >> 2) & 1u;
            all_16 = (all_16 & all_16 >> 2) >> 4 & 1u;
            middles[q] = (uchar)(any_16 | all_16 << 1);
            ADD(&sums[3], any_4);
            ADD(&sums[4], all_4);
            ADD(&sums[5], any_8);
            ADD(&sums[6], all_8);
            ADD(&sums[7], any_16);
            ADD(&sums[8], all_16);
        }
        SYNC();

        // Boxes of 32 and more: `from` and `to` take turns.
        uint from = 0, column = 9;
#pragma unroll
        for (uint side = QUADS / 2; side > 0; side /= 2) {
            const uint to = MIDDLES - from;
            const uint across = WIDE * side;
            for (uint q = lane; q < across * side * DEEP(side); q += GROUP) {
                const uint qx = q % across, qy = q / across % side, qz = q / across / side;
                uint any = 0, all = 3;
                for (uint dz = 0; dz < DEEP(2); ++dz)
                    for (uint dy = 0; dy < 2; ++dy)
                        for (uint dx = 0; dx < 2; ++dx) {
                            const uint row = (DEEP(2) * qz + dz) * 2 * side + 2 * qy + dy;
                            const uint flags = middles[from + row * 2 * across + 2 * qx + dx];
                            any |= flags;
                            all &= flags;
                        }
                middles[to + q] = (uchar)((any & 1u) | (all & 2u));
                if (side > 1) {   // whole tiles are counted by box_tops
                    ADD(&sums[column], any & 1u);
                    ADD(&sums[column + 1], all >> 1);
                }
            }
            SYNC();
            from = to;
            column += 2;
        }

        const uint groups = tiles / tiles_x * groups_x;
        GLOBAL uint* to = counts + (ulong64)(first_set + label) * COLUMNS * groups + base * groups_x + group;
        for (uint c = lane; c < COLUMNS; c += GROUP) {
            uint sum = sums[c];
            if (c < 3)
                for (uint i = 0; i < SPREAD; ++i) sum += spread[c * SPREAD + i];
            to[(ulong64)c * groups] = sum;
        }
        GLOBAL uchar* top = tops + (ulong64)(first_set + label) * tiles + (ulong64)(base + row_of_tiles) * tiles_x + first_x;
        for (uint i = lane; i < WIDE && first_x + i < tiles_x; i += GROUP) top[i] = middles[from + i];
        SYNC();
    }
}

// A box of the flags of eight smaller ones, four in an image: any | all << 1, how many of these were any << 8, all << 16. Where
// the first of them would precede the array, its place has wrapped around, and is beyond it, too.
#define BOX_OF(SPACE, NAME)                                                                                  \
    INLINE uint NAME(SPACE const uchar* from, uint x, uint y, uint z, uint nx, uint ny, uint nz) {           \
        uint one = 0, every = 2, counts = 0;                                                                 \
        for (uint dz = 0; dz < DEEP(2); ++dz)                                                                \
            for (uint dy = 0; dy < 2; ++dy)                                                                  \
                for (uint dx = 0; dx < 2; ++dx) {                                                            \
                    const bool there = x + dx < nx && y + dy < ny && z + dz < nz;                            \
                    const uint box = there ? from[((ulong64)(z + dz) * ny + (y + dy)) * nx + (x + dx)] : 0u; \
                    one |= box & 1u;                                                                         \
                    every &= box;                                                                            \
                    counts += (box & 1u) << 8 | (box & 2u) << 15;                                            \
                }                                                                                            \
        return counts | one | every;                                                                         \
    }
BOX_OF(GLOBAL, far_box)
BOX_OF(LOCAL, near_box)
#undef BOX_OF

// results: any and all by m from 0 to last, for each label from set `first` on. higher: room for `room` flags a label. leads: of
// each of the grids, which sets take in turn, the tiles along x, y and z that precede the first: where their number is odd, the
// first box is the second half of the next larger one, and what would be the first half lies outside.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void box_tops(GLOBAL const uchar* RESTRICT tops, GLOBAL const uint* RESTRICT counts, GLOBAL uchar* higher,
              GLOBAL ulong64* RESTRICT results, GLOBAL const uint* RESTRICT leads, uint tiles_x, uint tiles_y, uint tiles_z,
              uint tiles, uint groups, uint room, uint last, uint first, uint grids) {
    LOCAL_ARRAY(ulong64, parts, GROUP);
    LOCAL_ARRAY(uint, counted, 2 * LEVELS * (SPREAD + 1));   // any and all of each size; a place more, for different banks
    LOCAL_ARRAY(uchar, flags, 2 * FLAGS);                    // of two sizes, in turns
    const uint lane = (uint)get_local_id(0), role = (uint)get_group_id(0), label = (uint)get_group_id(1);
    results += (ulong64)(first + label) * 2 * (last + 1);
    if (role > 0) {
        const uint column = role - 1, m = role / 2;
        if (m > last) return;
        GLOBAL const uint* from = counts + ((ulong64)label * COLUMNS + column) * groups;
        ulong64 sum = 0;
        for (uint i = lane; i < groups; i += GROUP) sum += from[i];
        parts[lane] = sum;
        SYNC();
        for (uint width = GROUP / 2; width > 0; width /= 2) {
            if (lane < width) parts[lane] += parts[lane + width];
            SYNC();
        }
        if (lane == 0) {
            if (column == 0) results[0] = results[1] = parts[0];
            else results[2 * m + (column + 1) % 2] = parts[0];
        }
        return;
    }

    GLOBAL const uchar* far = tops + (ulong64)label * tiles;
    GLOBAL uchar* far_to = higher + (ulong64)label * room;
    uint nx = tiles_x, ny = tiles_y, nz = tiles_z, near = 0, near_to = 0;
    leads += 3 * ((first + label) % grids);
    uint lead_x = leads[0], lead_y = leads[1], lead_z = leads[2];
    bool is_near = false;
    for (uint i = lane; i < 2 * LEVELS * (SPREAD + 1); i += GROUP) counted[i] = 0;
    SYNC();
    for (uint m = TILE_BITS; m <= last; ++m) {
        const uint odd_x = lead_x & 1u, odd_y = lead_y & 1u, odd_z = lead_z & 1u;
        const uint ux = (odd_x + nx + 1) / 2, uy = (odd_y + ny + 1) / 2, uz = DEEP((odd_z + nz + 1) / 2), boxes = ux * uy * uz;
        const bool fits = boxes <= FLAGS;
        uint any = 0, all = 0;
        for (uint i = lane; i < boxes; i += GROUP) {
            const uint x = i % ux * 2 - odd_x, y = i / ux % uy * 2 - odd_y, z = i / ux / uy * DEEP(2) - odd_z;
            const uint box = is_near ? near_box(flags + near, x, y, z, nx, ny, nz) : far_box(far, x, y, z, nx, ny, nz);
            any += box >> 8 & 255u;
            all += box >> 16;
            if (fits) flags[near_to + i] = (uchar)(box & 3u);
            else far_to[i] = (uchar)(box & 3u);
        }
        LOCAL uint* sums = counted + 2 * (m - TILE_BITS) * (SPREAD + 1) + lane % SPREAD;
        ADD(sums, any);
        ADD(sums + SPREAD + 1, all);
        nx = ux, ny = uy, nz = uz;
        lead_x /= 2, lead_y /= 2, lead_z /= 2;
        if (fits) {
            is_near = true;
            near = near_to;
            near_to = FLAGS - near;
            SYNC();
        } else {
            far = far_to;
            far_to += boxes;
            SYNC_ALL();
        }
    }
    for (uint i = lane; i + 2 * TILE_BITS < 2 * (last + 1); i += GROUP) {
        ulong64 sum = 0;
        for (uint s = 0; s < SPREAD; ++s) sum += counted[i * (SPREAD + 1) + s];
        results[2 * TILE_BITS + i] = sum;
    }
}
