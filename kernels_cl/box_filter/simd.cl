// Rows and columns in one kernel for CPUs: work-groups of one, each a chunk of rows, vectors of 16 along a row, no barriers.
//   columns  integers: a line of running sums. Floats: 8 rows a turn by ends, cores and beginnings of blocks, as in fused.cl;
//            nothing is ever subtracted. Entering blocks are kept in a ring of lines.
//   rows     windows of up to 8 are added up; longer ones are made of sums of 8 and of 64, in an order that is the same for all:
//
//              line           | end |  c0  c1  c2  ..                 | end |     sums of columns, and what the border adds
//              eights         c[x] + .. + c[x + 7], by pairs of pairs
//              sixty_fours    e[x] + e[x + 8] + .. + e[x + 56]
//              window of 78   s[x] + e[x + 64] + (c[x + 72] + .. + c[x + 77])
//
// Lines are scratch that stays in the cache. The next element of a window is `channels` further on. OpenCL only (vectors of 16).
// backends: opencl
#include "prelude/prelude.clh"
#include "box_filter/border.clh"
#include "box_filter/sums.clh"

#ifndef COLUMN       // type of sums of a column: ushort, uint or float
#define COLUMN float
#endif
#ifndef EIGHT        // type of sums of 8 columns: ushort where they fit, or SUM
#define EIGHT SUM
#endif
#ifndef BLOCK        // floats: rows of a block, 1, 2, 4 or 8, at most the window's height
#define BLOCK 2
#endif
#ifndef CORRECT      // integers: 0 where rounding (float)sum * (1 / elements) is exact without a second look
#define CORRECT 1
#endif
#define ROWS 8
#define LANES 16
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define VECTOR(type) JOIN(type, 16)
#define TO(type) JOIN(convert_, VECTOR(type))

// Vectors at any address. PoCL 3.1 takes vload16 and vstore16 of bytes and shorts apart.
typedef VECTOR(IN) InLanes __attribute__((aligned(1)));
typedef VECTOR(OUT) OutLanes __attribute__((aligned(1)));
typedef VECTOR(SUM) SumLanes __attribute__((aligned(1)));
typedef VECTOR(EIGHT) EightLanes __attribute__((aligned(1)));
typedef VECTOR(COLUMN) ColumnLanes __attribute__((aligned(1)));

// The `left` elements at p, or 16 of more.
INLINE VECTOR(IN) load(GLOBAL const IN* p, int left) {
    if (left >= LANES) return *(GLOBAL const InLanes*)p;
    IN lanes[LANES];
    for (int i = 0; i < LANES; ++i) lanes[i] = p[i < left ? i : left - 1];
    return vload16(0, lanes);
}

INLINE void store(VECTOR(OUT) v, GLOBAL OUT* p, int left) {
    if (left >= LANES) {
        *(GLOBAL OutLanes*)p = v;
        return;
    }
    OUT lanes[LANES];
    vstore16(v, 0, lanes);
    for (int i = 0; i < left; ++i) p[i] = lanes[i];
}

// reciprocal: 1 / elements of a window.
INLINE VECTOR(OUT) results_of(VECTOR(SUM) sum, float reciprocal, int elements) {
#if !MEAN
    return TO(OUT)(sum);
#elif FLOATS
    return sum * reciprocal;
#else
    // Adding 1.5 2^23 leaves the nearest integer in the lower bits, halves to even: PoCL's rint takes lanes one by one.
    int16 mean = as_int16(convert_float16(sum) * reciprocal + 0x1.8p23f) - 0x4b400000;
#if CORRECT
    // mean is at most one beside the right one; comparisons are -1 where they hold.
    const int16 twice = 2 * (convert_int16(sum) - mean * elements), odd = (mean & 1) != 0;
    mean = mean - (twice > elements || (twice == elements && odd)) + (twice < -elements || (twice == -elements && odd));
#endif
    return TO(OUT)(mean);
#endif
}

struct Rows {
    int width, channels, window, border;   // pixels; of a window of a row
    float reciprocal;
    int elements;
};

// The columns outside the image, which stand left and right of `n` elements of a line.
INLINE void fill_ends(GLOBAL COLUMN* line, const struct Rows* r, COLUMN outside) {
    const int left = r->window / 2;
    for (int x = -left; x < r->width + r->window - 1 - left; ++x) {
        if (x == 0) x = r->width;
        if (x >= r->width + r->window - 1 - left) return;
        const int from = border_index(r->border, x, r->width);
        for (int c = 0; c < r->channels; ++c)
            line[(left + x) * r->channels + c] = from < 0 ? outside : line[(left + from) * r->channels + c];
    }
}

#define COLUMNS_AT(p, i) TO(EIGHT)(*(GLOBAL const ColumnLanes*)((p) + (i)))

// Sums of 8 elements that stand `step` apart, for `count` of them and up to 15 more.
INLINE void sums_of_8(GLOBAL const COLUMN* from, GLOBAL EIGHT* to, int count, int step) {
    for (int x = 0; x < count; x += LANES) {
        GLOBAL const COLUMN* p = from + x;
        *(GLOBAL EightLanes*)(to + x) =
            ((COLUMNS_AT(p, 0) + COLUMNS_AT(p, step)) + (COLUMNS_AT(p, 2 * step) + COLUMNS_AT(p, 3 * step))) +
            ((COLUMNS_AT(p, 4 * step) + COLUMNS_AT(p, 5 * step)) + (COLUMNS_AT(p, 6 * step) + COLUMNS_AT(p, 7 * step)));
    }
}
INLINE void sums_of_64(GLOBAL const EIGHT* eights, GLOBAL SUM* to, int count, int step) {
    for (int x = 0; x < count; x += LANES) {
        VECTOR(SUM) sum = TO(SUM)(*(GLOBAL const EightLanes*)(eights + x));
        for (int i = 1; i < 8; ++i) sum += TO(SUM)(*(GLOBAL const EightLanes*)(eights + x + i * 8 * step));
        *(GLOBAL SumLanes*)(to + x) = sum;
    }
}

// One row of results from a line with both ends. eights, sixty_fours: lines of scratch.
INLINE void make_row(GLOBAL const COLUMN* line, GLOBAL EIGHT* eights, GLOBAL SUM* sixty_fours, GLOBAL OUT* out,
                     const struct Rows* r) {
    const int n = r->width * r->channels, step = r->channels, window = r->window;
    if (window <= 8) {
        for (int x = 0; x < n; x += LANES) {
            VECTOR(EIGHT) sum = COLUMNS_AT(line, x);
            for (int i = 1; i < window; ++i) sum += COLUMNS_AT(line, x + i * step);
            store(results_of(TO(SUM)(sum), r->reciprocal, r->elements), out + x, n - x);
        }
        return;
    }
    const int large = window < 72 ? 0 : window / 64, middle = (window - 64 * large) / 8, all = n + (window - 1) * step;
    sums_of_8(line, eights, all - 7 * step, step);
    if (large > 0) sums_of_64(eights, sixty_fours, all - 63 * step, step);
    for (int x = 0; x < n; x += LANES) {
        VECTOR(SUM) sum = 0;
        int at = x;
        for (int i = 0; i < large; ++i, at += 64 * step) sum += *(GLOBAL const SumLanes*)(sixty_fours + at);
        for (int i = 0; i < middle; ++i, at += 8 * step) sum += TO(SUM)(*(GLOBAL const EightLanes*)(eights + at));
        if (at < x + window * step) {
            VECTOR(EIGHT) rest = COLUMNS_AT(line, at);
            for (at += step; at < x + window * step; at += step) rest += COLUMNS_AT(line, at);
            sum += TO(SUM)(rest);
        }
        store(results_of(sum, r->reciprocal, r->elements), out + x, n - x);
    }
}

// A row of the image that may lie outside it; `fill_row`: a row of what a constant border holds.
INLINE GLOBAL const IN* row_of(GLOBAL const IN* plane, int y, int border, int height, ulong64 pitch, GLOBAL const IN* fill_row) {
    const int at = border_index(border, y, height);
    return at < 0 ? fill_row : plane + at * pitch;
}

struct Chunk {
    GLOBAL const IN* in;        // of the first pixel of the strip in row 0 of the plane
    GLOBAL OUT* out;
    GLOBAL const IN* fill_row;  // a row of what a constant border holds
    GLOBAL COLUMN* columns;
    GLOBAL COLUMN* ring;        // floats
    GLOBAL EIGHT* eights;
    GLOBAL SUM* sixty_fours;
    ulong64 pitch;
    int height, window, line;   // of a window of a column; elements of a line
    int y_first, y_end;
    COLUMN fill;                // a column outside
};

INLINE void filter_chunk(const struct Chunk* c, const struct Rows* r) {
    const int n = r->width * r->channels, left = r->window / 2 * r->channels;
    int top = c->y_first - c->window / 2;   // row that the first window of the turn begins at
#if FLOATS
    const int rest = c->window % BLOCK, blocks = c->window / BLOCK, slots = blocks - 1;
    for (int slot = 0; slot < slots; ++slot) {   // the oldest first
        const int from = top + c->window - (slots - slot) * BLOCK;
        for (int j = 0; j < BLOCK; ++j) {
            GLOBAL const IN* row = row_of(c->in, from + j, r->border, c->height, c->pitch, c->fill_row);
            GLOBAL COLUMN* sums = c->ring + (ulong64)slot * c->line;
            for (int x = 0; x < n; x += LANES) {
                const VECTOR(COLUMN) v = TO(COLUMN)(load(row + x, n - x));
                *(GLOBAL ColumnLanes*)(sums + x) = j == 0 ? v : *(GLOBAL const ColumnLanes*)(sums + x) + v;
            }
        }
    }
    int oldest = 0;
    for (int y = c->y_first; y < c->y_end; y += ROWS, top += ROWS) {
        GLOBAL const IN* leaving[ROWS + BLOCK];
        GLOBAL const IN* entering[ROWS];
        for (int j = 0; j < ROWS + BLOCK - 1; ++j)
            leaving[j] = row_of(c->in, top + j, r->border, c->height, c->pitch, c->fill_row);
        for (int j = 0; j < ROWS; ++j)
            entering[j] = row_of(c->in, top + c->window + j, r->border, c->height, c->pitch, c->fill_row);
        for (int x = 0; x < n; x += LANES) {
            GLOBAL COLUMN* to = c->columns + left + x;
#pragma unroll
            for (int block = 0; block < ROWS; block += BLOCK) {
                VECTOR(COLUMN) core = 0, sum = 0, ends[BLOCK];
                for (int j = 0; j < rest; ++j) core += TO(COLUMN)(load(leaving[block + BLOCK + j] + x, n - x));
                for (int i = 0; i < slots; ++i) {   // the newest first
                    const int slot = oldest - 1 - i < 0 ? oldest - 1 - i + slots : oldest - 1 - i;
                    core += *(GLOBAL const ColumnLanes*)(c->ring + (ulong64)slot * c->line + x);
                }
#pragma unroll
                for (int j = BLOCK - 1; j >= 0; --j) {
                    const VECTOR(COLUMN) v = TO(COLUMN)(load(leaving[block + j] + x, n - x));
                    sum = j == BLOCK - 1 ? v : v + sum;
                    ends[j] = sum;
                }
#pragma unroll
                for (int j = 0; j < BLOCK; ++j) {
                    VECTOR(COLUMN) total = ends[j] + core;
                    if (j > 0) total += sum;
                    *(GLOBAL ColumnLanes*)(to + (block + j) * c->line) = total;
                    const VECTOR(COLUMN) v = TO(COLUMN)(load(entering[block + j] + x, n - x));
                    sum = j == 0 ? v : sum + v;
                }
                if (slots > 0) *(GLOBAL ColumnLanes*)(c->ring + (ulong64)oldest * c->line + x) = sum;
            }
        }
        if (slots > 0) oldest = oldest + 1 == slots ? 0 : oldest + 1;
        for (int j = 0; j < ROWS && y + j < c->y_end; ++j) {
            fill_ends(c->columns + j * c->line, r, c->fill);
            make_row(c->columns + j * c->line, c->eights, c->sixty_fours, c->out + (y + j) * c->pitch, r);
        }
    }
#else
    GLOBAL COLUMN* running = c->columns + left;
    for (int j = 0; j < c->window; ++j) {
        GLOBAL const IN* row = row_of(c->in, top + j, r->border, c->height, c->pitch, c->fill_row);
        for (int x = 0; x < n; x += LANES) {
            const VECTOR(COLUMN) v = TO(COLUMN)(load(row + x, n - x));
            *(GLOBAL ColumnLanes*)(running + x) = j == 0 ? v : *(GLOBAL const ColumnLanes*)(running + x) + v;
        }
    }
    for (int y = c->y_first; y < c->y_end; ++y, ++top) {
        fill_ends(c->columns, r, c->fill);
        make_row(c->columns, c->eights, c->sixty_fours, c->out + y * c->pitch, r);
        GLOBAL const IN* leaving = row_of(c->in, top, r->border, c->height, c->pitch, c->fill_row);
        GLOBAL const IN* entering = row_of(c->in, top + c->window, r->border, c->height, c->pitch, c->fill_row);
        for (int x = 0; x < n; x += LANES) {
            const VECTOR(COLUMN) plus = TO(COLUMN)(load(entering + x, n - x)), minus = TO(COLUMN)(load(leaving + x, n - x));
            *(GLOBAL ColumnLanes*)(running + x) = *(GLOBAL const ColumnLanes*)(running + x) + plus - minus;
        }
    }
#endif
}

// A group takes every get_num_groups(0)-th of the chunks: of `chunk` rows, a multiple of 8, and `span` pixels, all where window_x
// > 1. Lines of scratch of a group: one of SUM, one of EIGHT; of COLUMN, floats 8 and then the ring's, integers 1; one of IN.
KERNEL REQUIRED_GROUP(1, 1, 1)
void simd(GLOBAL const IN* RESTRICT image, GLOBAL OUT* RESTRICT result, GLOBAL uchar* scratch, ulong64 scratch_bytes, int planes,
           int width, int height, int channels, int window_x, int window_y, int line, int chunk, int span, int border, IN fill_in,
           COLUMN fill_column, float reciprocal, int elements) {
    const ulong64 pitch = (ulong64)width * channels;
    const int chunks = (height + chunk - 1) / chunk, strips = (width + span - 1) / span;
    GLOBAL SUM* sixty_fours = (GLOBAL SUM*)(scratch + get_group_id(0) * scratch_bytes);
    GLOBAL EIGHT* eights = (GLOBAL EIGHT*)(sixty_fours + line);
    GLOBAL COLUMN* columns = (GLOBAL COLUMN*)(eights + line);
#if FLOATS
    GLOBAL IN* fill_row = (GLOBAL IN*)(columns + ROWS * line);
    GLOBAL COLUMN* ring = (GLOBAL COLUMN*)(fill_row + line);
#else
    GLOBAL IN* fill_row = (GLOBAL IN*)(columns + line);
#endif
    if (border == BORDER_CONSTANT)
        for (int i = 0; i < line; ++i) fill_row[i] = fill_in;

    for (ulong64 task = get_group_id(0); task < (ulong64)planes * chunks * strips; task += get_num_groups(0)) {
        const int x_first = (int)(task % strips) * span, y_first = (int)(task / strips % chunks) * chunk;
        const ulong64 start = task / strips / chunks * height * pitch + (ulong64)x_first * channels;
        const struct Rows r = {width - x_first < span ? width - x_first : span, channels, window_x, border, reciprocal, elements};
        struct Chunk c;
        c.in = image + start;
        c.out = result + start;
        c.fill_row = fill_row;
        c.columns = columns;
        c.eights = eights;
        c.sixty_fours = sixty_fours;
        c.pitch = pitch;
        c.height = height;
        c.window = window_y;
        c.line = line;
        c.y_first = y_first;
        c.y_end = height - y_first < chunk ? height : y_first + chunk;
        c.fill = fill_column;
#if FLOATS
        c.ring = ring;
#endif
        filter_chunk(&c, &r);
    }
}
