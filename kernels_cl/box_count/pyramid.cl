// Boxes by a pyramid of two bits, any and all, in two launches.
//   box_tiles   a work-group reads WIDE tiles of TILE voxels a side, side by side along x, once. A work-item takes 16 x 4 x 4 voxels
//               (16 x 4 in an image) as bits, which fold to boxes of 2 and 4 in registers; those of 4 to TILE are folded in local
//               memory. Numbers of boxes of each size go to counts[label][column][group], flags of whole tiles (any | all << 1) to tops.
//   box_tops    work-group 0 folds the tiles' flags up to the whole grid, in local memory once they fit; work-group 1 + c adds up column c of the counts.
// first_band: where the bands of these labels begin.
// base, first_set: of an array that comes in layers or band by band, the number of its first row of tiles and set.
// Columns: 0 set voxels; 2m - 1 and 2m any and all of edge 2^m. What lies outside is not set.
// PACKED: bits come in already, and a work-item takes 32 WORDS x 4 x 4 of them; WIDE makes neighbours read whole sectors of memory.
// Bits of 16 voxels along x: x = 4 i + b at bit 8 b + i; a second row of them stands 4 bits higher.
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
#ifndef GROUP
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
#else
#define SYNC() BARRIER_LOCAL()
#define SYNC_ALL() BARRIER_ALL()
#define ADD(place, value) atomic_add(place, value)
#define SPREAD 32                                    // places for sums, so that lanes do not wait for each other
#endif

#if ELEMENT_BYTES == 1
// The highest bit of each byte: whether it is at least n, 0 to 256, where `add` is 0x80 - n or 0x100 - n in each byte, and `small`
// all ones up to 128.
INLINE uint bytes_from(uint word, uint add, uint small) {
    const uint sum = (word & 0x7f7f7f7fu) + add;
    return (sum & word) | (small & (sum | word));
}
INLINE uint bytes_set(uint word, uint low_add, uint low_small, uint high_add, uint high_small) {
    word ^= FLIP * 0x01010101u;
#if UP_TO_MAX
    return bytes_from(word, low_add, low_small) & 0x80808080u;
#else
    return bytes_from(word, low_add, low_small) & ~bytes_from(word, high_add, high_small) & 0x80808080u;
#endif
}
#endif

#if !PACKED
// 16 voxels from p on; `there`: how many of them are inside.
INLINE uint row_bits(GLOBAL const ELEMENT* p, uint there, VALUE low, VALUE high) {
    uint bits = 0;
#if ELEMENT_BYTES == 1
    const uint low_small = low <= 128 ? 0xffffffffu : 0u, low_add = ((low <= 128 ? 128u : 256u) - low) * 0x01010101u;
    const uint over = high + 1, high_small = over <= 128 ? 0xffffffffu : 0u, high_add = ((over <= 128 ? 128u : 256u) - over) * 0x01010101u;
#define FOUR(word) bytes_set(word, low_add, low_small, high_add, high_small)
#if ALIGNED
    const uint4 w = *(GLOBAL const uint4*)p;
    return FOUR(w.x) >> 7 | FOUR(w.y) >> 6 | FOUR(w.z) >> 5 | FOUR(w.w) >> 4;
#else
    if (there >= 16) {
#pragma unroll
        for (uint i = 0; i < 4; ++i) {
            const uint word = (uint)p[4 * i] | (uint)p[4 * i + 1] << 8 | (uint)p[4 * i + 2] << 16 | (uint)p[4 * i + 3] << 24;
            bits |= FOUR(word) >> (7 - i);
        }
        return bits;
    }
#endif
#undef FOUR
#elif ALIGNED && ELEMENT_BYTES == 2
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
        const uint2 w = ((GLOBAL const uint2*)p)[i];
        bits |= (IS_SET((w.x & 0xffffu) ^ FLIP, low, high) | IS_SET((w.x >> 16) ^ FLIP, low, high) << 8 | IS_SET((w.y & 0xffffu) ^ FLIP, low, high) << 16 |
                 IS_SET((w.y >> 16) ^ FLIP, low, high) << 24) << i;
    }
    return bits;
#elif ALIGNED && ELEMENT_BYTES == 4
#if IS_FLOAT
#define WORD(x) as_float(x)
#else
#define WORD(x) ((x) ^ FLIP)
#endif
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
        const uint4 w = ((GLOBAL const uint4*)p)[i];
        bits |= (IS_SET(WORD(w.x), low, high) | IS_SET(WORD(w.y), low, high) << 8 | IS_SET(WORD(w.z), low, high) << 16 | IS_SET(WORD(w.w), low, high) << 24) << i;
    }
    return bits;
#undef WORD
#endif
#if !(ALIGNED) || ELEMENT_BYTES == 8
    for (uint x = 0; x < 16 && x < there; ++x) bits |= IS_SET(VALUE_OF(p[x]), low, high) << (8 * (x & 3) + (x >> 2));
#endif
    return bits;
}
#endif

// Bits 0, 4, 8 and 12 side by side.
INLINE uint side_by_side(uint bits) {
    bits &= 0x1111u;
    return (bits | bits >> 3 | bits >> 6 | bits >> 9) & 15u;
}

KERNEL REQUIRED_GROUP(GROUP, 1, 1) void box_tiles(GLOBAL const ELEMENT* RESTRICT volume, GLOBAL const VALUE* RESTRICT bands, GLOBAL uchar* RESTRICT tops,
                                                  GLOBAL uint* RESTRICT counts, uint width, uint height, uint depth, uint tiles_x, uint tiles_y, uint tiles,
                                                  uint labels, uint base, uint first_set, uint first_band) {
    LOCAL_ARRAY(uint, cells, (PIECES + 3) / 4);   // a byte a piece: boxes of 4 along x, any in bits 0 to 3, all in 4 to 7
    LOCAL_ARRAY(uchar, middles, 2 * MIDDLES);     // any | all << 1
    LOCAL_ARRAY(uint, spread, 3 * SPREAD);
    LOCAL_ARRAY(uint, sums, COLUMNS);
    LOCAL uchar* cell = (LOCAL uchar*)cells;
    const uint group = (uint)get_group_id(0), lane = (uint)get_local_id(0);
    const uint groups_x = (tiles_x + WIDE - 1) / WIDE, row_of_tiles = group / groups_x, first_x = group % groups_x * WIDE;
    const uint left = first_x * TILE, front = row_of_tiles % tiles_y * TILE, low_z = row_of_tiles / tiles_y * TILE;

    for (uint label = 0; label < labels; ++label) {
        const VALUE low = bands[2 * (first_band + label)], high = bands[2 * (first_band + label) + 1];
        for (uint i = lane; i < 3 * SPREAD; i += GROUP) spread[i] = 0;
        for (uint i = lane; i < COLUMNS; i += GROUP) sums[i] = 0;
        SYNC();

        uint set = 0, any_2 = 0, all_2 = 0;
#if PACKED
        const uint pitch = width / 8;
        for (uint block = lane; block < BLOCKS; block += GROUP) {
            const uint qx = block % BLOCKS_X, qy = block / BLOCKS_X % ROWS, qz = block / BLOCKS_X / ROWS;
            const uint x = left + 32 * WORDS * qx, y = front + 4 * qy, z = low_z + 4 * qz;
            const bool within = x < width && y < height && z < depth;
            uint any_4[WORDS], all_4[WORDS];
#pragma unroll
            for (uint w = 0; w < WORDS; ++w) any_4[w] = 0, all_4[w] = within ? 0xffffffffu : 0u;
            if (within) {
#if GROUP > 1
#pragma unroll
#endif
                for (uint v = 0; v < DEEP(2); ++v)
#if GROUP > 1
#pragma unroll
#endif
                    for (uint u = 0; u < 2; ++u) {
                        uint any[WORDS], all[WORDS];
#pragma unroll
                        for (uint w = 0; w < WORDS; ++w) any[w] = 0, all[w] = 0xffffffffu;
#pragma unroll
                        for (uint r = 0; r < DEEP(2) * 2; ++r) {
                            const uint row_z = z + 2 * v + r / 2, row_y = y + 2 * u + r % 2;
                            const uint inside = row_z < depth && row_y < height ? 0xffffffffu : 0u;
                            GLOBAL const ELEMENT* row = volume + ((ulong64)min(row_z, depth - 1) * height + min(row_y, height - 1)) * pitch + x / 8;
                            uint bits[WORDS];
#if ALIGNED && WORDS == 4
                            const uint4 four = *(GLOBAL const uint4*)row;
                            bits[0] = four.x, bits[1] = four.y, bits[2] = four.z, bits[3] = four.w;
#elif ALIGNED
#pragma unroll
                            for (uint w = 0; w < WORDS; ++w) bits[w] = ((GLOBAL const uint*)row)[w];
#else
                            const uint there = pitch - x / 8;
#pragma unroll
                            for (uint w = 0; w < WORDS; ++w) {
                                bits[w] = 0;
#pragma unroll
                                for (uint b = 0; b < 4; ++b)
                                    if (4 * w + b < there) bits[w] |= (uint)row[4 * w + b] << (8 * b);
                            }
#endif
#pragma unroll
                            for (uint w = 0; w < WORDS; ++w) {
                                bits[w] &= inside;
                                set += popcount(bits[w]);
                                any[w] |= bits[w];
                                all[w] &= bits[w];
                            }
                        }
#pragma unroll
                        for (uint w = 0; w < WORDS; ++w) {
                            const uint one = (any[w] | any[w] >> 1) & 0x55555555u, every = all[w] & all[w] >> 1 & 0x55555555u;
                            any_2 += popcount(one);
                            all_2 += popcount(every);
                            any_4[w] |= one;
                            all_4[w] &= every;
                        }
                    }
            }
#pragma unroll
            for (uint w = 0; w < WORDS; ++w) {
                const uint one = any_4[w] | any_4[w] >> 2, every = all_4[w] & all_4[w] >> 2;
                const uint quad = qz * ACROSS + 2 * (WORDS * qx + w);
                cell[quad * ROWS + qy] = (uchar)(side_by_side(one) | side_by_side(every) << 4);
                cell[(quad + 1) * ROWS + qy] = (uchar)(side_by_side(one >> 16) | side_by_side(every >> 16) << 4);
            }
        }
#else
        for (uint piece = lane; piece < PIECES; piece += GROUP) {
            const uint qx = piece % ACROSS, qy = piece / ACROSS % ROWS, qz = piece / ACROSS / ROWS;
            const uint x = left + 16 * qx, y = front + 4 * qy, z = low_z + 4 * qz;
            uint any_4 = 0, all_4 = 0xffu, any_of_2 = 0, all_of_2 = 0;
            if (x < width && y < height && z < depth) {
#if GROUP > 1   // all sixteen loads in flight; a processor's compiler would only take longer
#pragma unroll
#endif
                for (uint v = 0; v < DEEP(2); ++v)
#if GROUP > 1
#pragma unroll
#endif
                    for (uint u = 0; u < 2; ++u) {
                        uint any = 0, all = 0xffffffffu;
#pragma unroll
                        for (uint dz = 0; dz < DEEP(2); ++dz) {
                            uint pair = 0;
#pragma unroll
                            for (uint dy = 0; dy < 2; ++dy) {
                                // Rows outside are read where the last one is, and not counted: no branch keeps loads from going ahead.
                                const uint row_z = z + 2 * v + dz, row_y = y + 2 * u + dy;
                                const uint inside = row_z < depth && row_y < height ? 0xffffffffu : 0u;
                                GLOBAL const ELEMENT* row = volume + ((ulong64)min(row_z, depth - 1) * height + min(row_y, height - 1)) * width + x;
                                pair |= (row_bits(row, width - x, low, high) & inside) << (4 * dy);
                            }
                            set += popcount(pair);
                            any |= pair | pair >> 4;
                            all &= pair & pair >> 4;
                        }
                        any = (any | any >> 8) & 0x000f000fu;
                        all = (all & all >> 8) & 0x000f000fu;
                        any_of_2 |= any << (4 * (2 * v + u));
                        all_of_2 |= all << (4 * (2 * v + u));
                        any_4 |= any | any >> 16;
                        all_4 &= all & all >> 16;
                    }
            } else {
                all_4 = 0;
            }
            any_2 += popcount(any_of_2);
            all_2 += popcount(all_of_2);
            cell[(qz * ACROSS + qx) * ROWS + qy] = (uchar)((any_4 & 15u) | (all_4 & 15u) << 4);
        }
#endif
        ADD(&spread[lane % SPREAD], set);
        ADD(&spread[SPREAD + lane % SPREAD], any_2);
        ADD(&spread[2 * SPREAD + lane % SPREAD], all_2);
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
                            const uint flags = middles[from + ((DEEP(2) * qz + dz) * 2 * side + 2 * qy + dy) * 2 * across + 2 * qx + dx];
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

// A box of the flags of eight smaller ones, four in an image: any | all << 1, how many of these were any << 8, all << 16.
#define BOX_OF(SPACE, NAME)                                                                                                       \
    INLINE uint NAME(SPACE const uchar* from, uint x, uint y, uint z, uint nx, uint ny, uint nz) {                                \
        uint one = 0, every = 2, counts = 0;                                                                                      \
        for (uint dz = 0; dz < DEEP(2); ++dz)                                                                                     \
            for (uint dy = 0; dy < 2; ++dy)                                                                                       \
                for (uint dx = 0; dx < 2; ++dx) {                                                                                 \
                    const bool there = x + dx < nx && y + dy < ny && z + dz < nz;                                                 \
                    const uint box = there ? from[((ulong64)(z + dz) * ny + y + dy) * nx + x + dx] : 0u;                          \
                    one |= box & 1u;                                                                                              \
                    every &= box;                                                                                                 \
                    counts += (box & 1u) << 8 | (box & 2u) << 15;                                                                 \
                }                                                                                                                 \
        return counts | one | every;                                                                                              \
    }
BOX_OF(GLOBAL, far_box)
BOX_OF(LOCAL, near_box)
#undef BOX_OF

// results: any and all by m from 0 to last, for each label from set `first` on. higher: room for `room` flags a label.
KERNEL REQUIRED_GROUP(GROUP, 1, 1) void box_tops(GLOBAL const uchar* RESTRICT tops, GLOBAL const uint* RESTRICT counts, GLOBAL uchar* higher,
                                                 GLOBAL ulong64* RESTRICT results, uint tiles_x, uint tiles_y, uint tiles_z, uint tiles, uint groups, uint room, uint last, uint first) {
    LOCAL_ARRAY(ulong64, parts, GROUP);
    LOCAL_ARRAY(uint, counted, 2 * LEVELS * (SPREAD + 1));   // any and all of each size; a place more, that lanes find different banks
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
    bool is_near = false;
    for (uint i = lane; i < 2 * LEVELS * (SPREAD + 1); i += GROUP) counted[i] = 0;
    SYNC();
    for (uint m = TILE_BITS; m <= last; ++m) {
        const uint ux = (nx + 1) / 2, uy = (ny + 1) / 2, uz = DEEP((nz + 1) / 2), boxes = ux * uy * uz;
        const bool fits = boxes <= FLAGS;
        uint any = 0, all = 0;
        for (uint i = lane; i < boxes; i += GROUP) {
            const uint x = i % ux * 2, y = i / ux % uy * 2, z = i / ux / uy * DEEP(2);
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
