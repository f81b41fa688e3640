// The source papers' filters: one axis at a time, the array being [outer][n][inner] elements, sums in between.
//   pixel   a work-item adds up one window
//   strip   a work-item goes along a line, or a part of it. Integers: a running sum, one element enters, one leaves; exact.
//           Floats: blocks as long as the window; a window is the end of one block and the beginning of the next, so that
//           nothing is ever subtracted: no drift, and NaN stays in its windows. Sums are compensated: windows may be long.
//             block b      |  . . [ x x x x |        ends, from right to left, kept in `out`
//             block b + 1  | x x x ] . . .  |        beginnings, from left to right
// Neighbours in `inner` are neighbouring work-items. Source: van Herk 1992; Gil and Werman 1993 (for minima).
#include "prelude/prelude.clh"
#include "box_filter/border.clh"
#include "box_filter/sums.clh"

// Window of element i: [i - window / 2, i - window / 2 + window). fill: what a constant border holds.
INLINE SUM element_at(GLOBAL const IN* line, int i, int n, ulong64 inner, int border, SUM fill) {
    const int at = border_index(border, i, n);
    return at < 0 ? fill : (SUM)line[at * inner];
}

KERNEL void pixel(GLOBAL const IN* RESTRICT in, GLOBAL OUT* RESTRICT out, ulong64 count, int n, ulong64 inner, int window,
                  int border, SUM fill, SUM divisor) {
    const ulong64 index = get_global_id(0);
    if (index >= count) return;
    const int i = (int)(index / inner % n);
    GLOBAL const IN* line = in + (index - i * inner);
#if FLOATS
    struct Compensated total = {0.0f, 0.0f};
    for (int j = 0; j < window; ++j) add(&total, element_at(line, i - window / 2 + j, n, inner, border, fill));
    out[index] = result_of(value_of(total), divisor);
#else
    SUM total = 0;
    for (int j = 0; j < window; ++j) total += element_at(line, i - window / 2 + j, n, inner, border, fill);
    out[index] = result_of(total, divisor);
#endif
}

// Axis 1 of the launch: parts of `part` elements, of floats a multiple of the window.
KERNEL void strip(GLOBAL const IN* RESTRICT in, GLOBAL OUT* RESTRICT out, ulong64 lines, int n, ulong64 inner, int window,
                  int part, int border, SUM fill, SUM divisor) {
    const ulong64 line = get_global_id(0);
    if (line >= lines) return;
    const ulong64 base = line / inner * inner * n + line % inner;
    const int first = (int)get_group_id(1) * part, end = n - first < part ? n : first + part;
    GLOBAL const IN* from = in + base;
    GLOBAL OUT* to = out + base;
#if FLOATS
    for (int block = first; block < end; block += window) {
        const int left = block - window / 2, length = end - block < window ? end - block : window;
        struct Compensated total = {0.0f, 0.0f};
        for (int j = window - 1; j >= 0; --j) {
            add(&total, element_at(from, left + j, n, inner, border, fill));
            if (j < length) to[(block + j) * inner] = value_of(total);
        }
        total.sum = total.lost = 0.0f;
        for (int j = 0; j < length; ++j) {
            if (j > 0) add(&total, element_at(from, left + window + j - 1, n, inner, border, fill));
            to[(block + j) * inner] = result_of(to[(block + j) * inner] + value_of(total), divisor);
        }
    }
#else
    SUM total = 0;
    for (int j = 0; j < window; ++j) total += element_at(from, first - window / 2 + j, n, inner, border, fill);
    for (int i = first; i < end; ++i) {
        to[i * inner] = result_of(total, divisor);
        total += element_at(from, i - window / 2 + window, n, inner, border, fill) -
                 element_at(from, i - window / 2, n, inner, border, fill);
    }
#endif
}
