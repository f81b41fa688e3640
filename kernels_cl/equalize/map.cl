// Every pixel becomes what the table of its channel says; PER elements a step of a work-item, 16 bytes where that is possible.
//   256 levels     the table lies in local memory. COPIES 32: a byte of each copy's four levels is in the bank of its lane,
//                  so that no data makes lanes wait (8 KiB a channel)
//   65536 levels   it is read through the caches
//   FROM_COUNTS    each group makes the table of 256 levels from the histogram by itself: sooner than a launch between
//   PAIRS          bytes go by the table of pairs.cl, two at once
//   SHUFFLE        bytes go by shuffles of registers, 32 at once (shuffled.clh)
//   FROM_END       the image is read backwards: the histogram was made forwards, and its end is still in the cache
#include "prelude/prelude.clh"

#ifndef INPUT_BYTES        // 1 or 2
#define INPUT_BYTES 1
#endif
#ifndef IS_FLOAT           // 1: f32 comes out
#define IS_FLOAT 0
#endif
#ifndef CHANNELS           // 1 to 4, the last axis
#define CHANNELS 1
#endif
#ifndef GROUP              // 1: a block of the image for each work-group, for CPUs
#define GROUP 256
#endif
#ifndef COPIES             // of a table of bytes: 1, or a power of two up to 32
#define COPIES 1
#endif
#ifndef PAIRS              // 1: bytes of one channel, GROUP 1
#define PAIRS 0
#endif
#ifndef SHUFFLE            // 1: bytes of one channel, GROUP 1, where the compiler knows such a shuffle
#define SHUFFLE 0
#endif
#ifndef FROM_COUNTS        // 1: 256 levels, GROUP > 1; levels[] is the histogram
#define FROM_COUNTS 0
#endif
#ifndef LOADS              // steps in flight for each work-item
#define LOADS 2
#endif
#ifndef FROM_END           // 1: from the last vector to the first
#define FROM_END 0
#endif

#if INPUT_BYTES == 1
#define INPUT uchar
#define LEVELS 256
#else
#define INPUT ushort
#define LEVELS 65536
#endif
#define WORD_BITS (8 * INPUT_BYTES)
#define PER_WORD (4 / INPUT_BYTES)
#if IS_FLOAT
#define OUTPUT float
#define PER 4
#else
#define OUTPUT INPUT
#define PER (4 * PER_WORD)
#endif
#if FROM_COUNTS
#define TABLE_IN LOCAL
#include "equalize/levels.clh"
#endif
#if SHUFFLE
#include "equalize/shuffled.clh"
#endif
#define TABLE_WORDS (LEVELS * CHANNELS / (IS_FLOAT ? 1 : PER_WORD))

#if PAIRS
#define ENTRY ushort
#else
#define ENTRY OUTPUT
#endif
#if FROM_COUNTS
#define TABLE LOCAL const ENTRY*
#else
#define TABLE GLOBAL const ENTRY*
#endif

// `table` begins at the lane's copy. The level may have bits above those of its type.
INLINE OUTPUT mapped(TABLE table, uint channel, uint level) {
    const uint at = channel % CHANNELS * LEVELS + (level & (LEVELS - 1));
#if COPIES > 1
    return table[(at & ~3u) * COPIES + (at & 3u)];
#else
    return (OUTPUT)table[at];   // a pair's lower byte
#endif
}

#if IS_FLOAT
#define RESULT float4
#if INPUT_BYTES == 1
#define VECTOR uchar4
#else
#define VECTOR ushort4
#endif
INLINE float4 mapped_vector(TABLE table, VECTOR v, uint channel) {
    return make_float4(mapped(table, channel, v.x), mapped(table, channel + 1, v.y), mapped(table, channel + 2, v.z),
                       mapped(table, channel + 3, v.w));
}
#else
#define RESULT uint4
#define VECTOR uint4
INLINE uint mapped_word(TABLE table, uint word, uint channel) {
#if PAIRS
    return (uint)table[word & 0xffffu] | (uint)table[word >> 16] << 16;
#else
    uint out = 0;
#pragma unroll
    for (uint i = 0; i < PER_WORD; ++i) out |= (uint)mapped(table, channel + i, word >> (WORD_BITS * i)) << (WORD_BITS * i);
    return out;
#endif
}
INLINE uint4 mapped_vector(TABLE table, uint4 v, uint channel) {
    return make_uint4(mapped_word(table, v.x, channel), mapped_word(table, v.y, channel + PER_WORD),
                      mapped_word(table, v.z, channel + 2 * PER_WORD), mapped_word(table, v.w, channel + 3 * PER_WORD));
}
#endif

#if FROM_COUNTS
#define GIVEN uint
#else
#define GIVEN ENTRY
#endif

// count: elements, channels included. pixels: of a channel, read where FROM_COUNTS is 1.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void equalize_map(GLOBAL const INPUT* RESTRICT image, GLOBAL const GIVEN* RESTRICT levels, GLOBAL OUTPUT* RESTRICT out,
                  ulong64 count, uint pixels) {
    const uint lane = (uint)get_local_id(0);
#if FROM_COUNTS
    LOCAL_ARRAY(uint, sums, GROUP);
    LOCAL_ARRAY(uint, before, GROUP);
    LOCAL_ARRAY(uint, lowest, 1);
    LOCAL_ARRAY(uint, made, TABLE_WORDS);
    for (uint channel = 0; channel < CHANNELS; ++channel) {
        make_levels(levels + channel * LEVELS, (LOCAL OUTPUT*)made + channel * LEVELS, pixels, lane, 0, sums, before, lowest);
        BARRIER_LOCAL();
    }
    LOCAL_ARRAY(uint, words, TABLE_WORDS * COPIES);
    for (uint i = lane; i < TABLE_WORDS * COPIES; i += GROUP) words[i] = made[i / COPIES];
    BARRIER_LOCAL();
    TABLE table = (TABLE)(words + lane % COPIES);
#else
    TABLE table = levels;
#endif
    GLOBAL const VECTOR* from = (GLOBAL const VECTOR*)image;
    GLOBAL RESULT* to = (GLOBAL RESULT*)out;
    const ulong64 group = get_group_id(0), groups = get_num_groups(0), total = count / PER;
#if SHUFFLE && SHUFFLED
    const ulong64 first = total * group / groups, end = total * (group + 1) / groups, even = first + (end - first) / 2 * 2;
    const Rows rows = rows_of(levels);
    for (ulong64 v = first; v < even; v += 2)
        *(GLOBAL BytesAt16*)(to + v) = mapped_bytes(&rows, *(GLOBAL const BytesAt16*)(from + v));
    if (even < end) to[even] = mapped_vector(table, from[even], 0);
#elif GROUP == 1 && CHANNELS == 1 && !IS_FLOAT   // one core reads on, word by word: compilers would gather vectors byte by byte
#ifdef __clang__
#pragma clang loop vectorize(disable)
#endif
    for (ulong64 w = 4 * (total * group / groups); w < 4 * (total * (group + 1) / groups); ++w)
        ((GLOBAL uint*)out)[w] = mapped_word(table, ((GLOBAL const uint*)image)[w], 0);
#elif GROUP == 1
    for (ulong64 v = total * group / groups; v < total * (group + 1) / groups; ++v)
        to[v] = mapped_vector(table, from[v], (uint)(v * PER % CHANNELS));
#else            // neighbours read neighbours
    const ulong64 step = groups * GROUP;
    for (ulong64 v = group * GROUP + lane; v < total; v += LOADS * step) {
        VECTOR loaded[LOADS];
#pragma unroll
        for (uint i = 0; i < LOADS; ++i) {
            const ulong64 at = v + i * step;
            if (at < total) loaded[i] = from[FROM_END ? total - 1 - at : at];
        }
#pragma unroll
        for (uint i = 0; i < LOADS; ++i) {
            const ulong64 at = FROM_END ? total - 1 - (v + i * step) : v + i * step;
            if (v + i * step < total) to[at] = mapped_vector(table, loaded[i], (uint)(at * PER % CHANNELS));
        }
    }
#endif
    if (group == 0)   // what no vector holds
        for (ulong64 at = total * PER + lane; at < count; at += GROUP) out[at] = mapped(table, (uint)(at % CHANNELS), image[at]);
}
