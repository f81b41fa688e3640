// Rows of 16 m elements for CPUs, one row (or two real rows as one complex row: two_rows.clh) at a time, all in the L1 cache.
// Element 16 i + l of a row is in lane l of vector i, so that loads and stores are contiguous:
//
//   lane        0    1   ..  15          1. each lane by itself:   y[l][k] = sum over i of x[16 i + l] exp(-2 pi i  i k / m)
//   vector 0    0    1   ..  15             (lanes_core.clh, m points, 16 at once)
//   vector 1    16   17  ..  31          2. times `across`:        exp(-2 pi i  l k / 16 m)
//   ..                                   3. across the lanes:      X[k + m q] = sum over l of y[l][k] exp(-2 pi i  l q / 16)
//   vector m-1  16m-16   ..  16m-1          16 vectors k .. k + 15 are transposed, so that this is lane by lane, too
//
// because exp(-2 pi i (16 i + l)(k + m q) / 16 m) is the product of the three. Results that need both ends of a row go through a
// line of floats. `across`: [m][re, im] vectors. scratch: for each group LANES_LENGTH pairs and a line of [2][16 m + 16] floats.
// Groups are few and loop over rows, so that their scratch stays in the cache. Panels are read and written in one stream.
// OpenCL only (float16). Source: four-step transform, Bailey 1990.
// backends: opencl
#include "prelude/prelude.clh"
#include "fft/lanes_layouts.clh"
#include "fft/lanes_shuffle.clh"

#ifndef LANES_IN         // where rows come from: any layout but columns and modulus
#define LANES_IN LAYOUT_COMPLEX
#endif
#ifndef LANES_OUT        // where they go: any but columns and folded
#define LANES_OUT LAYOUT_PANELS
#endif
#ifndef LANES_TYPE       // of the input's elements; uchar and ushort where it is real
#define LANES_TYPE float
#endif
#ifndef LANES_CROP       // 0: whole rows; else the columns of a complex or modulus output that are kept, then the width of `out`
#define LANES_CROP 0
#endif
#define LANES_PAIRS (LANES_IN == LAYOUT_REAL || LANES_OUT == LAYOUT_REAL)
// Results that need both ends of a row, or panels that the 16 parts of a row do not begin with, go through the line.
#define LANES_VIA_LINE \
    (LANES_OUT == LAYOUT_HALF || LANES_OUT == LAYOUT_HALVES || (LANES_OUT == LAYOUT_PANELS && LANES_LENGTH % 16 != 0))

struct LanesIo {
    GLOBAL const LANES_TYPE* a; // the row, or the even one of two
    GLOBAL const LANES_TYPE* b; // the odd one; of folded panels the row in the second half
    GLOBAL Lanes* work;
    long64 step;                // floats from panel to panel of the input
    float sign;                 // of imaginary parts: -1 for inverse transforms, which are conj(FFT(conj x))
};
#include "fft/lanes_core.clh"

#define LANES_WIDTH (16 * LANES_LENGTH)
#define LANES_LINE (LANES_WIDTH + 16)

#if LANES_IN == LAYOUT_FOLDED
// Columns 16 i .. 16 i + 15 of a row. In the upper half column c is -(width - c): lane 0 of one panel, and lanes 15 .. 1
// of the panel before it.
INLINE void lanes_unfold(const struct LanesIo* io, int i, Lanes* re, Lanes* im) {
    GLOBAL const float* p = io->a + i * io->step;
    if (i < LANES_LENGTH / 2) {
        lanes_prefetch(p + 32);
        *re = vload16(0, p);
        *im = vload16(1, p) * io->sign;
        return;
    }
    // Of the middle panel the columns up to width / 2 = 16 i + 8 are in the lower half.
    const bool middle = LANES_LENGTH % 2 == 1 && i == LANES_LENGTH / 2;
    GLOBAL const float* q = io->b + (LANES_LENGTH - i - 1) * io->step;
    GLOBAL const float* first = middle ? p : q + io->step;
    lanes_prefetch(q + 32);
    const Lanes r = lanes_reverse(vload16(0, q)), s = lanes_reverse(vload16(1, q));
    *re = (Lanes)(first[0], r.s01234567, r.s89ab, r.scd, r.se);
    *im = (Lanes)(first[16], s.s01234567, s.s89ab, s.scd, s.se) * -io->sign;
    if (middle) {
        const Lanes a = vload16(0, p), b = vload16(1, p) * io->sign;
        *re = (Lanes)(a.s01234567, a.s8, (*re).s9, (*re).sab, (*re).scdef);
        *im = (Lanes)(b.s01234567, b.s8, (*im).s9, (*im).sab, (*im).scdef);
    }
}
#endif

INLINE void lanes_load(const struct LanesIo* io, int i, Lanes* re, Lanes* im) {
#if LANES_IN == LAYOUT_COMPLEX
    lanes_get_complex(io->a + 32 * i, re, im);
    *im *= io->sign;
#elif LANES_IN == LAYOUT_PANELS
    GLOBAL const float* p = io->a + i * io->step;
    *re = vload16(0, p);
    *im = vload16(1, p) * io->sign;
    lanes_prefetch(p + 32);   // the next row's pair lies behind this one
#elif LANES_IN == LAYOUT_FOLDED
    lanes_unfold(io, i, re, im);
#else
    *re = convert_float16(vload16(i, io->a));
    *im = convert_float16(vload16(i, io->b)) * io->sign;
#endif
}

INLINE void lanes_store(const struct LanesIo* io, int place, int k, Lanes re, Lanes im) {
    io->work[2 * place] = re;
    io->work[2 * place + 1] = im;
}

// Address of a row in panels of `height` rows, `panels` to a plane.
INLINE long64 lanes_panel_row(long64 row, int height, int panels) { 
    return (row / height * panels * LANES_PANEL_ROWS(height) + row % height) * 32;
}

#if LANES_IN == LAYOUT_HALF || LANES_IN == LAYOUT_HALVES
// Two half spectra A and B -> Z, the whole spectrum of a + ib (two_rows.clh).
INLINE void lanes_merge(GLOBAL const float* a, GLOBAL const float* b, long64 step, GLOBAL float* re, GLOBAL float* im) {
    const int half_width = LANES_WIDTH / 2;
    int k = 0;
    for (; k + 16 <= half_width + 1; k += 16) {
        Lanes ar, ai, br, bi;
#if LANES_IN == LAYOUT_HALF
        lanes_get_complex(a + 2 * k, &ar, &ai);
        lanes_get_complex(b + 2 * k, &br, &bi);
#else
        ar = vload16(0, a + k / 16 * step);
        ai = vload16(1, a + k / 16 * step);
        br = vload16(0, b + k / 16 * step);
        bi = vload16(1, b + k / 16 * step);
#endif
        vstore16(ar - bi, 0, re + k);
        vstore16(ai + br, 0, im + k);
        vstore16(lanes_reverse(ar + bi), 0, re + LANES_WIDTH - k - 15);
        vstore16(lanes_reverse(br - ai), 0, im + LANES_WIDTH - k - 15);
    }
    for (; k <= half_width; ++k) {
#if LANES_IN == LAYOUT_HALF
        const float ar = a[2 * k], ai = a[2 * k + 1], br = b[2 * k], bi = b[2 * k + 1];
#else
        const long64 at = k / 16 * step + k % 16;
        const float ar = a[at], ai = a[at + 16], br = b[at], bi = b[at + 16];
#endif
        re[k] = ar - bi;
        im[k] = ai + br;
        re[LANES_WIDTH - k] = ar + bi;
        im[LANES_WIDTH - k] = br - ai;
    }
    // The two real bins.
    re[0] = a[0];
    im[0] = b[0];
#if LANES_IN == LAYOUT_HALF
    re[half_width] = a[2 * half_width];
    im[half_width] = b[2 * half_width];
#else
    re[half_width] = a[half_width / 16 * step + half_width % 16];
    im[half_width] = b[half_width / 16 * step + half_width % 16];
#endif
}
#endif

#if LANES_OUT == LAYOUT_HALF || LANES_OUT == LAYOUT_HALVES
// Bins k .. k + 15 of the two real rows whose complex sum's spectrum is in the line (re[width] = re[0]).
INLINE void lanes_part(GLOBAL const float* re, GLOBAL const float* im, int k, Lanes* ar, Lanes* ai, Lanes* br, Lanes* bi) {
    const Lanes zr = vload16(0, re + k), zi = vload16(0, im + k);
    const Lanes wr = lanes_reverse(vload16(0, re + LANES_WIDTH - k - 15)),
                wi = lanes_reverse(vload16(0, im + LANES_WIDTH - k - 15));
    *ar = 0.5f * (zr + wr);
    *ai = 0.5f * (zi - wi);
    *br = 0.5f * (zi + wi);
    *bi = 0.5f * (wr - zr);
}
#endif

#if LANES_CROP
#define LANES_OUT_WIDTH LANES_CROP
#else
#define LANES_OUT_WIDTH LANES_WIDTH
#endif

// Elements x .. x + 15 of an output row, those of them that are kept.
INLINE void lanes_put_cropped(Lanes re, Lanes im, int x, GLOBAL float* row) {
#if LANES_OUT == LAYOUT_COMPLEX
    if (x + 16 <= LANES_OUT_WIDTH) {
        lanes_put_complex(re, im, row + 2 * x);
    } else if (x < LANES_OUT_WIDTH) {
        float r[16], s[16];
        vstore16(re, 0, r);
        vstore16(im, 0, s);
        for (int l = 0; l < LANES_OUT_WIDTH - x; ++l) {
            row[2 * (x + l)] = r[l];
            row[2 * (x + l) + 1] = s[l];
        }
    }
#else
    if (x + 16 <= LANES_OUT_WIDTH) {
        lanes_put(re, row + x);
    } else if (x < LANES_OUT_WIDTH) {
        float r[16];
        vstore16(re, 0, r);
        for (int l = 0; l < LANES_OUT_WIDTH - x; ++l) row[x + l] = r[l];
    }
#endif
}

// rows: of all planes together, or fewer; height: of one plane in panels. scale: 1, or 1/N of an inverse. first: where in `out`
// to begin, in floats.
LANES_KERNEL void lanes_rows(GLOBAL const LANES_TYPE* in, GLOBAL float* out, GLOBAL Lanes* scratch, GLOBAL const float2* twiddle,
                             GLOBAL const int* order, GLOBAL const int* place, GLOBAL const Lanes* across, int rows, int height,
                             float sign, float scale, long64 first) {
    out += first;
    const int pairs = LANES_PAIRS ? 2 : 1;
    const int half_panels = (LANES_WIDTH / 2 + 16) / 16;
    struct LanesIo io;
    io.work = scratch + get_group_id(0) * (long64)(2 * LANES_LENGTH + 2 * LANES_LINE / 16);
    io.sign = sign;
    io.step = LANES_PANEL_ROWS(height) * (long64)32;
    GLOBAL float* line_re = (GLOBAL float*)(io.work + 2 * LANES_LENGTH);
    GLOBAL float* line_im = line_re + LANES_LINE;

    // A group takes rows that follow each other: what one row leaves of a cache line or page is the next one's.
    const long64 share = ((long64)rows + get_num_groups(0) * pairs - 1) / (get_num_groups(0) * pairs) * pairs;
    const long64 end = min((long64)rows, (long64)(get_group_id(0) + 1) * share);
    for (long64 row = get_group_id(0) * share; row < end; row += pairs) {
        const long64 other = LANES_PAIRS && row + 1 < rows ? row + 1 : row;   // an odd number of rows: the last one twice
#if LANES_IN == LAYOUT_COMPLEX
        io.a = in + row * 2 * LANES_WIDTH;
#elif LANES_IN == LAYOUT_PANELS
        io.a = in + lanes_panel_row(row, height, LANES_LENGTH);
#elif LANES_IN == LAYOUT_FOLDED
        io.a = in + lanes_panel_row(row, height, half_panels);
        io.b = io.a + half_panels * io.step;
#elif LANES_IN == LAYOUT_REAL
        io.a = in + row * LANES_WIDTH;
        io.b = in + other * LANES_WIDTH;
#else
#if LANES_IN == LAYOUT_HALF
        lanes_merge(in + row * (LANES_WIDTH + 2), in + other * (LANES_WIDTH + 2), 0, line_re, line_im);
#else
        lanes_merge(in + lanes_panel_row(row, height, half_panels), in + lanes_panel_row(other, height, half_panels), io.step,
                    line_re, line_im);
#endif
        io.a = line_re;
        io.b = line_im;
#endif
        lanes_transform(&io, io.work, twiddle, order);

        // 16 results of each lane, k .. k + 15, are a 16-point transform's inputs once they are turned and transposed. The
        // last 16 may overlap those before.
        for (int step = 0; step < LANES_LENGTH; step += 16) {
            const int k = step + 16 <= LANES_LENGTH ? step : LANES_LENGTH - 16;
            Lanes re[16], im[16];
#pragma unroll
            for (int j = 0; j < 16; ++j) {
                const int at = 2 * place[k + j];
                const Lanes r = io.work[at], i = io.work[at + 1], c = across[2 * (k + j)], s = across[2 * (k + j) + 1];
                re[j] = r * c - i * s;
                im[j] = r * s + i * c;
            }
            lanes_transpose(re);
            lanes_transpose(im);
            lanes_dft(16, re, im);
#pragma unroll
            for (int q = 0; q < 16; ++q) {
                const int x = k + q * LANES_LENGTH;
#if LANES_VIA_LINE
                vstore16(re[q] * scale, 0, line_re + x);
                vstore16(im[q] * (scale * sign), 0, line_im + x);
#elif LANES_OUT == LAYOUT_COMPLEX
                lanes_put_cropped(re[q] * scale, im[q] * (scale * sign), x, out + row * 2 * LANES_OUT_WIDTH);
#elif LANES_OUT == LAYOUT_MODULUS
                lanes_put_cropped(sqrt(re[q] * re[q] + im[q] * im[q]) * scale, im[q], x, out + row * LANES_OUT_WIDTH);
#elif LANES_OUT == LAYOUT_REAL
                lanes_put(re[q] * scale, out + row * LANES_WIDTH + x);
                lanes_put(im[q] * (scale * sign), out + other * LANES_WIDTH + x);
#else
                GLOBAL float* p = out + lanes_panel_row(row, height, LANES_LENGTH) + x / 16 * io.step;
                lanes_put(re[q] * scale, p);
                lanes_put(im[q] * (scale * sign), p + 16);
#endif
            }
        }

#if LANES_OUT == LAYOUT_PANELS && LANES_VIA_LINE
        GLOBAL float* p = out + lanes_panel_row(row, height, LANES_LENGTH);
        for (int x = 0; x < LANES_LENGTH; ++x, p += io.step) {
            lanes_put(vload16(x, line_re), p);
            lanes_put(vload16(x, line_im), p + 16);
        }
#elif LANES_OUT == LAYOUT_HALVES
        line_re[LANES_WIDTH] = line_re[0];
        line_im[LANES_WIDTH] = line_im[0];
        GLOBAL float* p = out + lanes_panel_row(row, height, half_panels);
        GLOBAL float* o = out + lanes_panel_row(other, height, half_panels);
        for (int x = 0; x < half_panels; ++x, p += io.step, o += io.step) {
            Lanes ar, ai, br, bi;
            lanes_part(line_re, line_im, 16 * x, &ar, &ai, &br, &bi);
            lanes_put(ar, p);
            lanes_put(ai, p + 16);
            lanes_put(br, o);
            lanes_put(bi, o + 16);
        }
#elif LANES_OUT == LAYOUT_HALF
        line_re[LANES_WIDTH] = line_re[0];
        line_im[LANES_WIDTH] = line_im[0];
        GLOBAL float* p = out + row * (LANES_WIDTH + 2);
        GLOBAL float* o = out + other * (LANES_WIDTH + 2);
        int k = 0;
        for (; k + 16 <= LANES_WIDTH / 2 + 1; k += 16) {
            Lanes ar, ai, br, bi, lo, hi;
            lanes_part(line_re, line_im, k, &ar, &ai, &br, &bi);
            lanes_join(ar, ai, &lo, &hi);
            vstore16(lo, 0, p + 2 * k);
            vstore16(hi, 1, p + 2 * k);
            lanes_join(br, bi, &lo, &hi);
            vstore16(lo, 0, o + 2 * k);
            vstore16(hi, 1, o + 2 * k);
        }
        for (; k <= LANES_WIDTH / 2; ++k) {
            const float zr = line_re[k], zi = line_im[k], wr = line_re[LANES_WIDTH - k], wi = line_im[LANES_WIDTH - k];
            p[2 * k] = 0.5f * (zr + wr);
            p[2 * k + 1] = 0.5f * (zi - wi);
            o[2 * k] = 0.5f * (zi + wi);
            o[2 * k + 1] = 0.5f * (wr - zr);
        }
#endif
    }
}
