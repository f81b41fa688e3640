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
#ifndef RING         // floats: blocks of entering rows that are kept, at least window / BLOCK_Y - 1
#define RING 0
#endif
// 1: rows that leave are loaded together with those that enter. Turns of more than eight rows take so many registers that a group
// is alone on its multiprocessor, and nobody else works while it waits for the cache.
#define LEAVE_EARLY (FLOATS && ROWS > 8)
#define TILE_STEP (GROUP + 1)                       // BLOCK_X rows x 32 / BLOCK_X blocks of a warp lie in 32 banks
#define TOTALS_STEP (GROUP / BLOCK_X + 32 / BLOCK_X)

struct Column {
    GLOBAL const IN* first;   // its element of row 0
    ulong64 pitch;            // elements of a row
    int height, border;
    int outside;              // the column itself stands for the constant
    SUM fill;
};

INLINE SUM element_of(const struct Column* c, int y) {
    const int at = border_index(c->border, y, c->height);
    return at < 0 || c->outside ? c->fill : (SUM)c->first[at * c->pitch];
}

// What leaves a large window is read for the last time: the cache would keep it as long as what is still to leave.
INLINE SUM load_element(GLOBAL const IN* p, int leaves) {
#if FLOATS && RING > 0
    if (leaves) return load_streaming_float(p);
#endif
    return (SUM)*p;
}

// Rows y .. y + ROWS - 1, all loads in flight at once where none is outside.
INLINE void load_rows(const struct Column* c, int y, SUM* rows, int leaves) {
    if (y >= 0 && y + ROWS <= c->height && !c->outside) {
        GLOBAL const IN* p = c->first + y * c->pitch;
#pragma unroll
        for (int j = 0; j < ROWS; ++j, p += c->pitch) rows[j] = load_element(p, leaves);
    } else {
#pragma unroll 1
        for (int j = 0; j < ROWS; ++j) {   // shifted in, so that registers are indexed by constants and the loop stays small
#pragma unroll
            for (int i = 1; i < ROWS; ++i) rows[i - 1] = rows[i];
            rows[ROWS - 1] = element_of(c, y + j);
        }
    }
}

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
    const int rest_x = window_x % BLOCK_X, blocks_x = window_x / BLOCK_X;
#if FLOATS
    const int rest_y = window_y % BLOCK_Y, blocks_y = window_y / BLOCK_Y;
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
        load_rows(&c, top, leaving, 1);
        load_rows(&c, top + ROWS, next, 1);
#if RING > 0
        float ring[RING];                   // sums of the last blocks of BLOCK_Y entering rows, the newest first
#pragma unroll
        for (int i = 0; i < RING; ++i) ring[i] = 0.0f;
        load_rows(&c, top + window_y - (blocks_y - 1) * BLOCK_Y, entering, 0);
#pragma unroll 1
        for (int i = blocks_y - 1; i > 0; --i) {
            float sum = entering[0];
#pragma unroll
            for (int j = 1; j < BLOCK_Y; ++j) sum += entering[j];
#pragma unroll
            for (int k = RING - 1; k > 0; --k) ring[k] = ring[k - 1];
            ring[0] = sum;
            load_rows(&c, top + window_y - (i - 1) * BLOCK_Y, entering, 0);
        }
#else
        load_rows(&c, top + window_y, entering, 0);
#endif
#else
        SUM leaving[ROWS], entering[ROWS], running = 0;
#pragma unroll 4
        for (int j = 0; j < window_y; ++j) running += element_of(&c, top + j);
        load_rows(&c, top, leaving, 1);
        load_rows(&c, top + window_y, entering, 0);
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
                    float window = blocks_y > 1 || rest_y > 0 ? end[j] + core : end[j];
                    if (j > 0) window += sum;
                    tile[(block + j) * TILE_STEP + item] = window;
                    sum = j == 0 ? entering[block] : sum + entering[block + j];
                }
#if RING > 0
#pragma unroll
                for (int i = RING - 1; i > 0; --i) ring[i] = i < blocks_y - 1 ? ring[i - 1] : 0.0f;
                ring[0] = blocks_y > 1 ? sum : 0.0f;
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
            if (y + ROWS < y_end) load_rows(&c, top + ROWS + window_y, entering, 0);
#if LEAVE_EARLY
            if (y + ROWS < y_end) load_rows(&c, top + 2 * ROWS, next, 1);
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
                        if (j < rest_x) rests[g / BLOCK_X] += row[blocks_x * BLOCK_X + j];
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
                    for (int i = 1; i < blocks_x; ++i) core += totals[(g + in_block) * TOTALS_STEP + own + i];
#endif
                    row[0] = ends[g] + core;
#pragma unroll
                    for (int j = 1; j < BLOCK_X; ++j) row[j] = (ends[g + j] + core) + begins[g + j];
                }
            }
            BARRIER_LOCAL();
            if (y + ROWS < y_end && !LEAVE_EARLY) {   // from the cache
#if FLOATS
                load_rows(&c, top + 2 * ROWS, next, 1);
#else
                load_rows(&c, top + ROWS, leaving, 1);
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
