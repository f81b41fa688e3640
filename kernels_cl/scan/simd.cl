// Scan on a processor in one launch: a work-item for each core, which takes tile after tile. A tile is added up in vectors of 16
// and, while it is still in the core's cache, scanned: a vector within itself by four shifts, so that only one addition waits for
// the vector before. in and out may be the same array.
//
//   take a tile -> add it up -> both its sum and what stands before it are there? -> tell the next tile what stands before it
//   a tile whose "before" is there -> scan it                    (the later of the two sees it)
//
// Nobody waits: a core that comes too early for one tile goes on with another, and a core that the system has put aside holds
// nobody up. The order of additions depends on the number of elements alone.
// backends: opencl
#include "prelude/prelude.clh"
#include "scan/operator.clh"

#ifndef TILE               // elements, a multiple of 16
#define TILE 32768
#endif
#ifndef STREAM             // 1: results go past the caches, where the compiler can: for arrays that do not fit into them
#define STREAM 0
#endif
#if STREAM && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define NONTEMPORAL
#endif
#endif

#define VECTOR_(type) type##16
#define VECTOR__(type) VECTOR_(type)
#if TYPE == TYPE_U64
typedef ulong16 Vector;
#else
typedef VECTOR__(WORD) Vector;
#endif

#if OP == OP_SUM && TYPE == TYPE_I32
#define JOIN(a, b) as_int16(as_uint16(a) + as_uint16(b))
#elif OP == OP_SUM
#define JOIN(a, b) ((a) + (b))
#elif TYPE == TYPE_F32 && OP == OP_MIN
#define JOIN(a, b) ((a) != (a) ? (a) : (b) != (b) ? (b) : (b) < (a) ? (b) : (a))
#elif TYPE == TYPE_F32
#define JOIN(a, b) ((a) != (a) ? (a) : (b) != (b) ? (b) : (b) > (a) ? (b) : (a))
#elif OP == OP_MIN
#define JOIN(a, b) min(a, b)
#else
#define JOIN(a, b) max(a, b)
#endif

// The vector moved up by 1, 2, 4, 8 lanes; what comes in changes nothing. (Floats as the integers that they are: the compiler
// fills lanes that do not matter with what the vector before left, and then one vector waits for the other.)
#if TYPE == TYPE_F32
#define BITS16 uint16
#define AS_BITS(v) as_uint16(v)
#define AS_VECTOR(v) as_float16(v)
#define FILL as_uint((WORD)IDENTITY)
#else
#define BITS16 Vector
#define AS_BITS(v) (v)
#define AS_VECTOR(v) (v)
#define FILL (WORD)IDENTITY
#endif
INLINE Vector up1(Vector v) {
    const BITS16 b = AS_BITS(v);
    return AS_VECTOR((BITS16)(FILL, b.s012, b.s3456, b.s789abcde));
}
INLINE Vector up2(Vector v) {
    const BITS16 b = AS_BITS(v);
    return AS_VECTOR((BITS16)(FILL, FILL, b.s01, b.s2345, b.s6789abcd));
}
INLINE Vector up4(Vector v) {
    const BITS16 b = AS_BITS(v);
    return AS_VECTOR((BITS16)(FILL, FILL, FILL, FILL, b.s0123, b.s456789ab));
}
INLINE Vector up8(Vector v) {
    const BITS16 b = AS_BITS(v);
    return AS_VECTOR((BITS16)(FILL, FILL, FILL, FILL, FILL, FILL, FILL, FILL, b.s01234567));
}
INLINE Vector scanned(Vector v) {
    v = JOIN(up1(v), v);
    v = JOIN(up2(v), v);
    v = JOIN(up4(v), v);
    return JOIN(up8(v), v);
}

// The board: these words and a word of flags for each tile, all zero between launches; then the sum and the "before" of each.
// All go through atomics, with a fence between what is said and the flag that says so.
#define SUMS_TAKEN 0
#define KNOWN 1            // tiles, from the first on, whose "before" is there
#define SCANS_TAKEN 2
#define LEFT 3             // work-items that have left
#define FLAGS 4
#define HAS_SUM 1u
#define HAS_BEFORE 2u
#define WORDS (sizeof(WORD) / 4)

#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)

INLINE uint seen(GLOBAL uint* word) { return atomic_or(word, 0u); }
#if TYPE == TYPE_U64
INLINE void put(GLOBAL uint* words, WORD value) {
    atomic_xchg(words, (uint)value);
    atomic_xchg(words + 1, (uint)(value >> 32));
}
INLINE WORD got(GLOBAL uint* words) { return seen(words) | (WORD)seen(words + 1) << 32; }
#elif TYPE == TYPE_F32
INLINE void put(GLOBAL uint* words, WORD value) { atomic_xchg(words, as_uint(value)); }
INLINE WORD got(GLOBAL uint* words) { return as_float(seen(words)); }
#else
INLINE void put(GLOBAL uint* words, WORD value) { atomic_xchg(words, (uint)value); }
INLINE WORD got(GLOBAL uint* words) { return (WORD)seen(words); }
#endif
INLINE GLOBAL uint* sum_of(GLOBAL uint* board, uint tiles, uint tile) { return board + FLAGS + tiles + tile * WORDS; }
INLINE GLOBAL uint* before_of(GLOBAL uint* board, uint tiles, uint tile) { return sum_of(board, tiles, tiles + tile); }

// From tile `tile`, whose sum and "before" are there, on. One work-item at a time comes here.
INLINE void tell_next(GLOBAL uint* board, uint tiles, uint tile) {
    FENCE();
    WORD before = got(before_of(board, tiles, tile));
    for (;;) {
        atomic_inc(board + KNOWN);
        if (tile + 1 == tiles) return;
        before = join(before, got(sum_of(board, tiles, tile)));
        put(before_of(board, tiles, ++tile), before);
        FENCE();
        if (!(atomic_or(board + FLAGS + tile, HAS_BEFORE) & HAS_SUM)) return;
    }
}

// Whether there is a tile to scan, and which.
INLINE int take_known(GLOBAL uint* board, uint* tile) {
    for (uint next = seen(board + SCANS_TAKEN); next < seen(board + KNOWN);) {
        const uint found = atomic_cmpxchg(board + SCANS_TAKEN, next, next + 1);
        if (found == next) {
            *tile = next;
            return 1;
        }
        next = found;
    }
    return 0;
}

INLINE WORD sum(GLOBAL const WORD* in, uint count) {
    Vector sums = (Vector)(WORD)IDENTITY;
    uint i = 0;
    for (; i + 16 <= count; i += 16) {
        const Vector v = vload16(0, in + i);
        sums = JOIN(sums, v);
    }
    WORD total = scanned(sums).sf;
    for (; i < count; ++i) total = join(total, in[i]);
    return total;
}

// 16 elements; past the caches where the array begins at a multiple of the vector's size.
INLINE void store(Vector v, GLOBAL WORD* p) {
#ifdef NONTEMPORAL
    if (((size_t)p & (sizeof(Vector) - 1)) == 0) {
        __builtin_nontemporal_store(v, (GLOBAL Vector*)p);
        return;
    }
#endif
    vstore16(v, 0, p);
}

INLINE void scan(GLOBAL const WORD* in, GLOBAL WORD* out, uint count, WORD before, int exclusive) {
    uint i = 0;
    for (; i + 16 <= count; i += 16) {
        const Vector up_to = scanned(vload16(0, in + i)), left = exclusive ? up1(up_to) : up_to;
        const Vector base = (Vector)before;
        store(JOIN(base, left), out + i);
        before = join(before, up_to.sf);
    }
    for (; i < count; ++i) {
        const WORD element = in[i], after = join(before, element);
        out[i] = exclusive ? before : after;
        before = after;
    }
}

KERNEL REQUIRED_GROUP(1, 1, 1)
void simd_scan(GLOBAL const WORD* in, GLOBAL WORD* out, GLOBAL uint* board, ulong64 count, int exclusive) {
    const uint tiles = (uint)((count + TILE - 1) / TILE);
#define TILE_COUNT(tile) (uint)min((ulong64)TILE, count - (ulong64)(tile) * TILE)
    for (;;) {
        uint tile;
        if (take_known(board, &tile)) {
            FENCE();
            const ulong64 first = (ulong64)tile * TILE;
            const WORD before = tile == 0 ? IDENTITY : got(before_of(board, tiles, tile));
            scan(in + first, out + first, TILE_COUNT(tile), before, exclusive);
            continue;
        }
        tile = atomic_inc(board + SUMS_TAKEN);
        if (tile >= tiles) break;   // whoever adds up the last ones scans what is left
        if (tile + 1 < tiles) put(sum_of(board, tiles, tile), sum(in + (ulong64)tile * TILE, TILE));
        if (tile == 0) put(before_of(board, tiles, 0), IDENTITY);
        FENCE();
        if ((atomic_or(board + FLAGS + tile, HAS_SUM) & HAS_BEFORE) || tile == 0) tell_next(board, tiles, tile);
    }
    if (atomic_inc(board + LEFT) == (uint)get_num_groups(0) - 1)
        for (uint i = 0; i < FLAGS + tiles; ++i) atomic_xchg(board + i, 0u);
}
