// Rows and columns in one kernel at a cost that does not depend on the radius; an element is read twice (the second time from
// the cache) and written once. A group filters a strip of columns from top to bottom, ROWS rows a turn:
//
//   columns  a work-item has one. Integers: a running sum. Floats are never subtracted: windows of BLOCK rows in a row are the
//            end of a block, a core that all share, and the beginning of another block (here BLOCK is 4, a window 14):
//
//              rows         l  l  l  l | r  r | B  B  B  B | B  B  B  B | e  e  e  e    l leaving, e entering;
//              window 0    [l  l  l  l   core: rest, then whole blocks  ]               sums of entering blocks stay in `ring`
//              window 1       [l  l  l   core                             e]
//              window 3             [l   core                             e  e  e]
//
//   rows     the sums of ROWS rows go to `tile` in local memory, where a work-item makes BLOCK windows of a row in the same way
//   a turn   columns -> tile | ends, beginnings and rests of rows from tile | sums of windows -> tile | out; the next turn's
//            rows are loaded meanwhile
//
// What is added in which order depends on the place in the image alone, not on strips or segments; NaN stays in its windows.
// Channels stand side by side in local memory. Axes of the launch: strips, segments of rows, planes.
#include "prelude/prelude.clh"
#include "prelude/cache.clh"
#include "box_filter/border.clh"
#include "box_filter/sums.clh"

#ifndef GROUP        // work-items: columns that a group adds up, a multiple of 32
#define GROUP 64
#endif
#ifndef ROWS         // rows a turn
#define ROWS 8
#endif
#ifndef BLOCK_X      // windows that a work-item makes of a row: 1, 2, 4 or 8, at most the window's width
#define BLOCK_X 2
#endif
#ifndef BLOCK_Y      // the same for columns
#define BLOCK_Y 2
#endif
#ifndef BLOCKS_X     // whole blocks in a window's width
#define BLOCKS_X 1
#endif
#ifndef BLOCKS_Y     // in its height
#define BLOCKS_Y 1
#endif
#define RING (BLOCKS_Y - 1)                         // floats: blocks of entering rows that are kept
// 1: rows that leave are loaded together with those that enter. Turns of more than eight rows take so many registers that a group
// is alone on its multiprocessor, and nobody else works while it waits for the cache.
#define LEAVE_EARLY (FLOATS && ROWS > 8)
#define EDGE_ROWS (ROWS > 8 ? 8 : 4)                // loads in flight where rows are outside, as many as registers allow
#define TILE_STEP (GROUP + 1)                       // BLOCK_X rows x 32 / BLOCK_X blocks of a warp lie in 32 banks
#define TOTALS_STEP (GROUP / BLOCK_X + 32 / BLOCK_X)

struct Column {
    GLOBAL const IN* first;   // its element of row 0
    ulong64 pitch;            // elements of a row
    int height, border;
    int outside;              // the column itself stands for the constant
    SUM fill;
};

INLINE SUM element_at(const struct Column* c, int at) {
    return at < 0 || c->outside ? c->fill : (SUM)c->first[at * c->pitch];
}

// What leaves a large window is read for the last time: the cache would keep it as long as what is still to leave.
INLINE SUM load_element(GLOBAL const IN* p, int leaves) {
#if FLOATS && RING > 0
    if (leaves) return load_streaming_float(p);
#endif
    return (SUM)*p;
}

// Rows y .. y + count - 1, all loads in flight at once where none is outside, EDGE_ROWS where the image is reflected once at
// most: who waits there for one row after another needs as long for a few as for hundreds between the edges.
INLINE void load_rows(const struct Column* c, int y, SUM* rows, const int count, int leaves) {
    if (y >= 0 && y + count <= c->height && !c->outside) {
        GLOBAL const IN* p = c->first + y * c->pitch;
#pragma unroll
        for (int j = 0; j < count; ++j, p += c->pitch) rows[j] = load_element(p, leaves);
    } else if (y > -c->height && y + count - c->height < c->height) {
#pragma unroll 1
        for (int j = 0; j < count; j += EDGE_ROWS) {   // shifted in, so that registers are indexed by constants
#pragma unroll
            for (int i = EDGE_ROWS; i < count; ++i) rows[i - EDGE_ROWS] = rows[i];
#pragma unroll
            for (int i = 0; i < EDGE_ROWS; ++i)
                rows[count - EDGE_ROWS + i] = element_at(c, border_index_near(c->border, y + j + i, c->height));
        }
    } else {
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
#pragma unroll
            for (int i = 1; i < count; ++i) rows[i - 1] = rows[i];
            rows[count - 1] = element_at(c, border_index(c->border, y + j, c->height));
        }
    }
}

#if FLOATS
INLINE float block_sum(const float* rows) {
    float sum = rows[0];
#pragma unroll
    for (int j = 1; j < BLOCK_Y; ++j) sum += rows[j];
    return sum;
}
#endif

INLINE void store_result(GLOBAL OUT* p, OUT value) {
#if FLOATS
    store_streaming(p, value);
#else
    *p = value;
#endif
}

// columns: of one channel that a group adds up, a multiple of 8, channels * columns <= GROUP; wide: of these, those that a window
// begins at: columns - window_x + 1 rounded down to a multiple of 8. segment: rows of a group, a multiple of ROWS.
KERNEL RESIDENT_GROUP(GROUP, 1, 1)
void fused(GLOBAL const IN* RESTRICT in, GLOBAL OUT* RESTRICT out, int width, int height, int planes, int channels, int window_x,
           int window_y, int columns, int wide, int segment, int border, SUM fill, SUM divisor) {
    LOCAL_ARRAY(SUM, tile, ROWS * TILE_STEP);
#if BLOCK_X == 8
    LOCAL_ARRAY(SUM, totals, ROWS * TOTALS_STEP);   // of blocks; windows of less than 16 hold no whole block between their ends
#endif
    const int item = (int)get_local_id(0), channel = item / columns, column = item - channel * columns;
    const int x = (int)get_group_id(0) * wide + column;   // of the pixel whose window begins at this column
    const bool adds = channel < channels, writes = adds && column < wide && x < width;
    const int y_first = (int)get_group_id(1) * segment, y_end = height - y_first < segment ? height : y_first + segment;
    const int source_x = border_index(border, x - window_x / 2, width);
    const int rest_x = window_x - BLOCKS_X * BLOCK_X;
#if FLOATS
    const int rest_y = window_y - BLOCKS_Y * BLOCK_Y;
#endif

    // This work-item's windows of a row: those that begin in block `own`.
    const int own = item / BLOCK_X, in_block = item % BLOCK_X, own_column = own * BLOCK_X % columns;
    const bool makes = own * BLOCK_X / columns < channels && own_column < wide;

    for (int plane = (int)get_group_id(2); plane < planes; plane += (int)get_num_groups(2)) {
        struct Column c;
        c.pitch = (ulong64)width * channels;
        c.height = height;
        c.border = border;
        c.fill = fill;
        c.outside = source_x < 0;
        const ulong64 start = plane * (c.pitch * height);
        c.first = in + start + (adds && !c.outside ? (ulong64)source_x * channels + channel : 0);
        GLOBAL OUT* to = out + start + (writes ? (ulong64)x * channels + channel : 0);

        int top = y_first - window_y / 2;   // row that the first window of the turn begins at
#if FLOATS
        float leaving[ROWS], next[ROWS], entering[ROWS];
        load_rows(&c, top, leaving, ROWS, 1);
        load_rows(&c, top + ROWS, next, ROWS, 1);
#if RING > 0
        float ring[RING];                   // sums of the last blocks of BLOCK_Y entering rows, the newest first
#pragma unroll
        for (int i = 0; i < RING; ++i) ring[i] = 0.0f;
        int at = top + window_y - RING * BLOCK_Y;
        if (RING * BLOCK_Y % ROWS != 0) {   // of two blocks a turn one is left
            load_rows(&c, at, entering, BLOCK_Y, 0);
            ring[0] = block_sum(entering);
            at += BLOCK_Y;
        }
#pragma unroll 1
        for (; at < top + window_y; at += ROWS) {
            load_rows(&c, at, entering, ROWS, 0);
#pragma unroll
            for (int block = 0; block < ROWS; block += BLOCK_Y) {
#pragma unroll
                for (int k = RING - 1; k > 0; --k) ring[k] = ring[k - 1];
                ring[0] = block_sum(entering + block);
            }
        }
#endif
        load_rows(&c, top + window_y, entering, ROWS, 0);
#else
        SUM leaving[ROWS], entering[ROWS], running = 0;
#pragma unroll 1
        for (int j = 0; j < window_y; j += ROWS) {
            load_rows(&c, top + j, entering, ROWS, 0);
#pragma unroll
            for (int i = 0; i < ROWS; ++i)
                if (j + i < window_y) running += entering[i];
        }
        load_rows(&c, top, leaving, ROWS, 1);
        load_rows(&c, top + window_y, entering, ROWS, 0);
#endif

        for (int y = y_first; y < y_end; y += ROWS, top += ROWS) {
#if FLOATS
#pragma unroll
            for (int block = 0; block < ROWS; block += BLOCK_Y) {
                // The rows behind the leaving block.
                float core = 0.0f;
#pragma unroll
                for (int j = 0; j < BLOCK_Y - 1; ++j) {
                    const float v = block + BLOCK_Y < ROWS ? leaving[(block + BLOCK_Y + j) % ROWS] : next[j];
                    if (j < rest_y) core += v;
                }
                float sum = 0.0f;
#if RING > 0
#pragma unroll
                for (int i = 0; i < RING; ++i) core += ring[i];
#endif
                float end[BLOCK_Y];
#pragma unroll
                for (int j = BLOCK_Y - 1; j >= 0; --j) {
                    sum = j == BLOCK_Y - 1 ? leaving[block + j] : leaving[block + j] + sum;
                    end[j] = sum;
                }
                sum = 0.0f;
#pragma unroll
                for (int j = 0; j < BLOCK_Y; ++j) {
                    float window = BLOCKS_Y > 1 || rest_y > 0 ? end[j] + core : end[j];
                    if (j > 0) window += sum;
                    tile[(block + j) * TILE_STEP + item] = window;
                    sum = j == 0 ? entering[block] : sum + entering[block + j];
                }
#if RING > 0
#pragma unroll
                for (int i = RING - 1; i > 0; --i) ring[i] = ring[i - 1];
                ring[0] = sum;
#endif
            }
#pragma unroll
            for (int j = 0; j < ROWS; ++j) leaving[j] = next[j];
#else
#pragma unroll
            for (int j = 0; j < ROWS; ++j) {
                tile[j * TILE_STEP + item] = running;
                running += entering[j] - leaving[j];
            }
#endif
            // For the next turn, while this one's rows are made; from memory, so they set out first.
            if (y + ROWS < y_end) load_rows(&c, top + ROWS + window_y, entering, ROWS, 0);
#if LEAVE_EARLY
            if (y + ROWS < y_end) load_rows(&c, top + 2 * ROWS, next, ROWS, 1);
#endif
            BARRIER_LOCAL();

            SUM ends[ROWS], begins[ROWS];   // of BLOCK_X windows in each of ROWS / BLOCK_X rows; begins holds the rest, too
            SUM rests[ROWS / BLOCK_X];
#pragma unroll
            for (int g = 0; g < ROWS; g += BLOCK_X) {
                LOCAL const SUM* row = tile + (g + in_block) * TILE_STEP + own * BLOCK_X;
                SUM sum = row[BLOCK_X - 1];
                ends[g + BLOCK_X - 1] = sum;
#pragma unroll
                for (int j = BLOCK_X - 2; j >= 0; --j) ends[g + j] = sum = row[j] + sum;
#if BLOCK_X == 8
                totals[(g + in_block) * TOTALS_STEP + own] = sum;
#endif
                rests[g / BLOCK_X] = 0;
                if (makes) {
#pragma unroll
                    for (int j = 0; j < BLOCK_X - 1; ++j)
                        if (j < rest_x) rests[g / BLOCK_X] += row[BLOCKS_X * BLOCK_X + j];
                    sum = 0;
#pragma unroll
                    for (int j = 1; j < BLOCK_X; ++j) {
                        sum = j == 1 ? row[window_x] : sum + row[window_x + j - 1];
                        begins[g + j] = sum;
                    }
                }
            }
            BARRIER_LOCAL();
            if (makes) {
#pragma unroll
                for (int g = 0; g < ROWS; g += BLOCK_X) {
                    LOCAL SUM* row = tile + (g + in_block) * TILE_STEP + own * BLOCK_X;
                    SUM core = rests[g / BLOCK_X];
#if BLOCK_X == 8
#pragma unroll
                    for (int i = 1; i < BLOCKS_X; ++i) core += totals[(g + in_block) * TOTALS_STEP + own + i];
#endif
                    row[0] = ends[g] + core;
#pragma unroll
                    for (int j = 1; j < BLOCK_X; ++j) row[j] = (ends[g + j] + core) + begins[g + j];
                }
            }
            BARRIER_LOCAL();
            if (y + ROWS < y_end && !LEAVE_EARLY) {   // from the cache
#if FLOATS
                load_rows(&c, top + 2 * ROWS, next, ROWS, 1);
#else
                load_rows(&c, top + ROWS, leaving, ROWS, 1);
#endif
            }
            if (writes) {
                GLOBAL OUT* p = to + y * c.pitch;
                if (y + ROWS <= y_end) {
#pragma unroll
                    for (int j = 0; j < ROWS; ++j, p += c.pitch) store_result(p, result_of(tile[j * TILE_STEP + item], divisor));
                } else {
#pragma unroll 1
                    for (int j = 0; y + j < y_end; ++j, p += c.pitch) *p = result_of(tile[j * TILE_STEP + item], divisor);
                }
            }
        }
        BARRIER_LOCAL();
    }
}
