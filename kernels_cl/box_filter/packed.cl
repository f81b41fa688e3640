// Bytes in windows that reach four elements to either side at most. A work-item has WORDS words of four neighbouring elements and
// goes down a segment of rows; the sums of its columns, and of four columns on either side, are kept two in a word:
//
//   a word of the image    d c b a        elements x .. x + 3
//   sums                   0c0a   0d0b    of 16 bits each: windows of up to 257 rows
//
// A row is read twice, the second time from the cache, and written once; no local memory, no barriers. Elements of several
// channels stand side by side, so the next element of a window is STEP further on. Axes of the launch: words, segments, planes.
#include "prelude/prelude.clh"
#include "box_filter/border.clh"

#ifndef GROUP        // work-items
#define GROUP 128
#endif
#ifndef WORDS        // of a row, that a work-item makes
#define WORDS 1
#endif
#ifndef TAPS         // elements of a window along a row
#define TAPS 3
#endif
#ifndef STEP         // channels
#define STEP 1
#endif
#ifndef LEFT         // elements that a window reaches to the left, channels counted; at most 4
#define LEFT 1
#endif
#ifndef ALIGNED      // 1: every row begins at a whole word
#define ALIGNED 1
#endif
#ifndef TIES         // 1: means may be halves, which go to the even neighbour
#define TIES 0
#endif
#define RIGHT ((TAPS - 1) * STEP - LEFT)
#define ROWS 4                 // a turn
#define SPAN (WORDS + 2)       // words that are read
#define LOW_BYTES 0x00ff00ffu

struct Image {
    GLOBAL const uint* words;
    ulong64 count;             // elements of all planes
    int width, height;         // elements
    int border;
    uint fill;                 // four times the byte outside
};
// What of a row a work-item reads. Beyond the ends of a row elements are those of the first or the last eight.
struct Columns {
    int x;                     // of the first word that is made
    int at_left, at_right;     // 1: the word before that, or the one after the last, is outside
    uint before, behind;       // of its four bytes: which of the eight, times 8
};

// Of four elements outside from e on, which stand for them among the eight from `first` on. Those out of reach do not matter.
INLINE uint places_of(const struct Image* m, int e, int first) {
    uint places = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int from = e + i + 4 * STEP, pixel = border_index(m->border, from / STEP - 4, m->width / STEP);
        const int place = pixel * STEP + from % STEP - first;
        places |= (uint)(place & 7) * 8u << (8 * i);
    }
    return places;
}

INLINE uint placed(uint low, uint high, uint places) {
    const ulong64 both = (ulong64)high << 32 | low;
    uint word = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) word |= ((uint)(both >> (places >> (8 * i) & 63u)) & 255u) << (8 * i);
    return word;
}

#if !ALIGNED
// A word of the image, with zeros behind its last element.
INLINE uint word_at(const struct Image* m, ulong64 index) {
    uint word = 0;
    for (int i = 0; i < 4; ++i) {
        if (4 * index + (ulong64)i < m->count) word |= (uint)((GLOBAL const uchar*)m->words)[4 * index + (ulong64)i] << (8 * i);
    }
    return word;
}
#endif

// Elements x - 4 .. x + 4 WORDS + 3 of the row that begins at element `row`, as far as windows reach.
INLINE void load_words(const struct Image* m, const struct Columns* c, ulong64 row, uint* words) {
    const ulong64 own = row + c->x;
#if ALIGNED
    GLOBAL const uint* p = m->words + (own >> 2);
    words[0] = LEFT > 0 && c->x >= 4 ? *(p - 1) : 0;
#pragma unroll
    for (int k = 1; k <= WORDS; ++k) words[k] = p[k - 1];
    words[SPAN - 1] = !c->at_right ? p[WORDS] : 0;   // of windows that reach to the left alone, for what stands before a row
#else
    const uint shift = (uint)(own & 3) * 8;
    const ulong64 first = own >> 2;
    uint low = first > 0 ? m->words[first - 1] : 0;
    if (own + 4 * SPAN <= m->count) {
        GLOBAL const uint* p = m->words + first;
#pragma unroll
        for (int k = 0; k < SPAN; ++k) {
            const uint high = p[k];
            words[k] = (uint)(((ulong64)high << 32 | low) >> shift);
            low = high;
        }
    } else {
#pragma unroll 1
        for (int j = 0; j < SPAN; ++j) {
            const uint high = word_at(m, first + (ulong64)j);
#pragma unroll
            for (int k = 1; k < SPAN; ++k) words[k - 1] = words[k];
            words[SPAN - 1] = (uint)(((ulong64)high << 32 | low) >> shift);
            low = high;
        }
    }
#endif
}

INLINE void add_ends(const struct Image* m, const struct Columns* c, uint* words) {
    if (LEFT > 0 && c->at_left) words[0] = m->border == BORDER_CONSTANT ? m->fill : placed(words[1], words[2], c->before);
    if (RIGHT > 0 && c->at_right)
        words[SPAN - 1] = m->border == BORDER_CONSTANT ? m->fill : placed(words[SPAN - 3], words[SPAN - 2], c->behind);
}

// Rows y .. y + ROWS - 1 of the plane that begins at element `start`; all loads are in flight at once where no row is outside.
INLINE void load_rows(const struct Image* m, const struct Columns* c, ulong64 start, int y, uint rows[ROWS][SPAN]) {
    if (y >= 0 && y + ROWS <= m->height) {
        ulong64 row = start + (ulong64)y * m->width;
#pragma unroll
        for (int j = 0; j < ROWS; ++j, row += m->width) load_words(m, c, row, rows[j]);
    } else {
#pragma unroll 1
        for (int j = 0; j < ROWS; ++j) {   // shifted in, so that registers are indexed by constants and the loop stays small
#pragma unroll
            for (int i = 1; i < ROWS; ++i) {
#pragma unroll
                for (int k = 0; k < SPAN; ++k) rows[i - 1][k] = rows[i][k];
            }
            const int at = border_index(m->border, y + j, m->height);
            if (at >= 0) {
                load_words(m, c, start + (ulong64)at * m->width, rows[ROWS - 1]);
            } else {
#pragma unroll
                for (int k = 0; k < SPAN; ++k) rows[ROWS - 1][k] = m->fill;
            }
        }
    }
    if (c->at_left || c->at_right) {
#pragma unroll
        for (int j = 0; j < ROWS; ++j) add_ends(m, c, rows[j]);
    }
}

INLINE void add_row(const uint* words, uint sums[SPAN][2]) {
#pragma unroll
    for (int k = 0; k < SPAN; ++k) {
        sums[k][0] += words[k] & LOW_BYTES;
        sums[k][1] += words[k] >> 8 & LOW_BYTES;
    }
}
INLINE void subtract_row(const uint* words, uint sums[SPAN][2]) {
#pragma unroll
    for (int k = 0; k < SPAN; ++k) {
        sums[k][0] -= words[k] & LOW_BYTES;
        sums[k][1] -= words[k] >> 8 & LOW_BYTES;
    }
}

// sum / divisor to the nearest. magic: floor(2^32 / divisor) + 1, exact for what windows hold (packed.cpp).
INLINE uint mean_of(uint sum, uint divisor, uint magic) {
    const uint raised = sum + divisor / 2, mean = mul_hi(raised, magic);
#if TIES
    return mean - (mean * divisor == raised ? mean & 1u : 0u);
#else
    return mean;
#endif
}

INLINE void means_of(uint sums[SPAN][2], uint divisor, uint magic, uint* means) {
    uint columns[4 * SPAN], window[4 * WORDS];
#pragma unroll
    for (int k = 0; k < SPAN; ++k) {
#pragma unroll
        for (int i = 0; i < 4; ++i) columns[4 * k + i] = i < 2 ? sums[k][i] & 0xffffu : sums[k][i - 2] >> 16;
    }
#pragma unroll
    for (int j = 0; j < 4 * WORDS; ++j) {
        const int first = 4 + j - LEFT;
        if (TAPS > 3 && j >= STEP) {
            window[j] = window[(j + 4 * WORDS - STEP) % (4 * WORDS)] + columns[first + RIGHT + LEFT] - columns[first - STEP];
        } else {
            window[j] = 0;
#pragma unroll
            for (int i = 0; i < TAPS; ++i) window[j] += columns[first + i * STEP];
        }
    }
#pragma unroll
    for (int k = 0; k < WORDS; ++k) {
        means[k] = 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) means[k] |= mean_of(window[4 * k + i], divisor, magic) << (8 * i);
    }
}

// Elements x .. of a row, from `from` on: those before are another work-item's.
INLINE void store_row(GLOBAL uchar* out, ulong64 row, int x, int from, const uint* means) {
#pragma unroll
    for (int k = 0; k < WORDS; ++k) {
#if ALIGNED
        if (x + 4 * k >= from) ((GLOBAL uint*)out)[(row + x) / 4 + k] = means[k];
#else
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (x + 4 * k + i >= from) out[row + x + 4 * k + i] = (uchar)(means[k] >> (8 * i));
        }
#endif
    }
}

// width: elements of a row, at least 4 WORDS + 4. items: of a row. segment: rows of a group. divisor: elements of a window.
KERNEL REQUIRED_GROUP(GROUP, 1, 1)
void packed(GLOBAL const uint* RESTRICT in, GLOBAL uchar* RESTRICT out, int width, int height, int planes, int items,
            int window_y, int segment, int border, uint fill, uint divisor, uint magic) {
    const int item = (int)get_global_id(0);
    if (item >= items) return;
    const struct Image m = {in, (ulong64)planes * height * width, width, height, border, fill * 0x01010101u};
    // The first begins at the left end of a row, the last one ends at its right end, and so do the others with regard to it.
    struct Columns c;
    c.x = item == 0 ? 0 : width - 4 * WORDS * (items - item);
    c.at_left = item == 0;
    c.at_right = item == items - 1;
    c.before = places_of(&m, -4, 0);
    c.behind = places_of(&m, width, width - 8);
    const int from = item == 0 ? 0 : 4 * WORDS;
    const int y_first = (int)get_group_id(1) * segment, y_end = min(y_first + segment, height);
    for (int plane = (int)get_group_id(2); plane < planes; plane += (int)get_num_groups(2)) {
        const ulong64 start = (ulong64)plane * height * width;
        uint sums[SPAN][2], entering[ROWS][SPAN], leaving[ROWS][SPAN];
#pragma unroll
        for (int k = 0; k < SPAN; ++k) sums[k][0] = sums[k][1] = 0;
        int top = y_first - window_y / 2;   // row that the window of row y begins at
        for (int j = 0; j < window_y - 1; j += ROWS) {
            load_rows(&m, &c, start, top + j, entering);
#pragma unroll
            for (int i = 0; i < ROWS; ++i) {
                if (j + i < window_y - 1) add_row(entering[i], sums);
            }
        }
        ulong64 row = start + (ulong64)y_first * width;
        for (int y = y_first; y < y_end; y += ROWS, top += ROWS) {
            load_rows(&m, &c, start, top + window_y - 1, entering);
            load_rows(&m, &c, start, top, leaving);
#pragma unroll
            for (int i = 0; i < ROWS; ++i, row += width) {
                uint means[WORDS];
                add_row(entering[i], sums);
                means_of(sums, divisor, magic, means);
                if (y + i < y_end) store_row(out, row, c.x, from, means);
                subtract_row(leaving[i], sums);
            }
        }
    }
}
