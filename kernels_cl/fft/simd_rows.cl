// Rows of 16 m elements for CPUs, one row (or two real rows as one complex row: two_rows.clh) at a time, all in the L1 cache.
// Element 16 i + l of a row is in lane l of vector i, so that loads and stores are contiguous:
//
//   lane        0    1   ..  15          1. each lane by itself:   y[l][k] = sum over i of x[16 i + l] exp(-2 pi i  i k / m)
//   vector 0    0    1   ..  15             (simd_core.clh, m points, 16 at once)
//   vector 1    16   17  ..  31          2. times `across`:        exp(-2 pi i  l k / 16 m)
//   ..                                   3. across the lanes:      X[k + m q] = sum over l of y[l][k] exp(-2 pi i  l q / 16)
//   vector m-1  16m-16   ..  16m-1          16 vectors k .. k + 15 are transposed, so that this is lane by lane, too
//
// because exp(-2 pi i (16 i + l)(k + m q) / 16 m) is the product of the three. Results that need both ends of a row go through a
// line of floats. `across`: [m][re, im] vectors. scratch: for each group SIMD_LENGTH pairs and a line of [2][16 m + 16] floats.
// Groups are few and loop over rows, so that their scratch stays in the cache. Panels are read and written in one stream.
// OpenCL only (float16). Source: four-step transform, Bailey 1990.
// backends: opencl
#include "prelude/prelude.clh"
#include "fft/simd_layouts.clh"
#include "fft/simd_shuffle.clh"

#ifndef SIMD_IN         // where rows come from: any layout but columns and modulus
#define SIMD_IN LAYOUT_COMPLEX
#endif
#ifndef SIMD_OUT        // where they go: any but columns and folded
#define SIMD_OUT LAYOUT_PANELS
#endif
#ifndef SIMD_TYPE       // of the input's elements; uchar and ushort where it is real
#define SIMD_TYPE float
#endif
#ifndef SIMD_CROP       // 0: whole rows; else the columns of a complex or modulus output that are kept, then the width of `out`
#define SIMD_CROP 0
#endif
#define SIMD_PAIRS (SIMD_IN == LAYOUT_REAL || SIMD_OUT == LAYOUT_REAL)
// Results that need both ends of a row, or panels that the 16 parts of a row do not begin with, go through the line.
#define SIMD_VIA_LINE \
    (SIMD_OUT == LAYOUT_HALF || SIMD_OUT == LAYOUT_HALVES || (SIMD_OUT == LAYOUT_PANELS && SIMD_LENGTH % 16 != 0))

struct SimdIo {
    GLOBAL const SIMD_TYPE* a; // the row, or the even one of two
    GLOBAL const SIMD_TYPE* b; // the odd one; of folded panels the row in the second half
    GLOBAL Lanes* work;
    long64 step;                // floats from panel to panel of the input
    float sign;                 // of imaginary parts: -1 for inverse transforms, which are conj(FFT(conj x))
};
#include "fft/simd_core.clh"

#define SIMD_WIDTH (16 * SIMD_LENGTH)
#define SIMD_LINE (SIMD_WIDTH + 16)

#if SIMD_IN == LAYOUT_FOLDED
// Columns 16 i .. 16 i + 15 of a row. In the upper half column c is -(width - c): lane 0 of one panel, and lanes 15 .. 1
// of the panel before it.
INLINE void simd_unfold(const struct SimdIo* io, int i, Lanes* re, Lanes* im) {
    GLOBAL const float* p = io->a + i * io->step;
    if (i < SIMD_LENGTH / 2) {
        simd_prefetch(p + 32);
        *re = vload16(0, p);
        *im = vload16(1, p) * io->sign;
        return;
    }
    // Of the middle panel the columns up to width / 2 = 16 i + 8 are in the lower half.
    const bool middle = SIMD_LENGTH % 2 == 1 && i == SIMD_LENGTH / 2;
    GLOBAL const float* q = io->b + (SIMD_LENGTH - i - 1) * io->step;
    GLOBAL const float* first = middle ? p : q + io->step;
    simd_prefetch(q + 32);
    const Lanes r = simd_reverse(vload16(0, q)), s = simd_reverse(vload16(1, q));
    *re = (Lanes)(first[0], r.s01234567, r.s89ab, r.scd, r.se);
    *im = (Lanes)(first[16], s.s01234567, s.s89ab, s.scd, s.se) * -io->sign;
    if (middle) {
        const Lanes a = vload16(0, p), b = vload16(1, p) * io->sign;
        *re = (Lanes)(a.s01234567, a.s8, (*re).s9, (*re).sab, (*re).scdef);
        *im = (Lanes)(b.s01234567, b.s8, (*im).s9, (*im).sab, (*im).scdef);
    }
}
#endif

INLINE void simd_load(const struct SimdIo* io, int i, Lanes* re, Lanes* im) {
#if SIMD_IN == LAYOUT_COMPLEX
    simd_get_complex(io->a + 32 * i, re, im);
    *im *= io->sign;
#elif SIMD_IN == LAYOUT_PANELS
    GLOBAL const float* p = io->a + i * io->step;
    *re = vload16(0, p);
    *im = vload16(1, p) * io->sign;
    simd_prefetch(p + 32);   // the next row's pair lies behind this one
#elif SIMD_IN == LAYOUT_FOLDED
    simd_unfold(io, i, re, im);
#else
    *re = convert_float16(vload16(i, io->a));
    *im = convert_float16(vload16(i, io->b)) * io->sign;
#endif
}

INLINE void simd_store(const struct SimdIo* io, int place, int k, Lanes re, Lanes im) {
    io->work[2 * place] = re;
    io->work[2 * place + 1] = im;
}

// Address of a row in panels of `height` rows, `panels` to a plane.
INLINE long64 simd_panel_row(long64 row, int height, int panels) { 
    return (row / height * panels * SIMD_PANEL_ROWS(height) + row % height) * 32;
}

#if SIMD_IN == LAYOUT_HALF || SIMD_IN == LAYOUT_HALVES
// Two half spectra A and B -> Z, the whole spectrum of a + ib (two_rows.clh).
INLINE void simd_merge(GLOBAL const float* a, GLOBAL const float* b, long64 step, GLOBAL float* re, GLOBAL float* im) {
    const int half_width = SIMD_WIDTH / 2;
    int k = 0;
    for (; k + 16 <= half_width + 1; k += 16) {
        Lanes ar, ai, br, bi;
#if SIMD_IN == LAYOUT_HALF
        simd_get_complex(a + 2 * k, &ar, &ai);
        simd_get_complex(b + 2 * k, &br, &bi);
#else
        ar = vload16(0, a + k / 16 * step);
        ai = vload16(1, a + k / 16 * step);
        br = vload16(0, b + k / 16 * step);
        bi = vload16(1, b + k / 16 * step);
#endif
        vstore16(ar - bi, 0, re + k);
        vstore16(ai + br, 0, im + k);
        vstore16(simd_reverse(ar + bi), 0, re + SIMD_WIDTH - k - 15);
        vstore16(simd_reverse(br - ai), 0, im + SIMD_WIDTH - k - 15);
    }
    for (; k <= half_width; ++k) {
#if SIMD_IN == LAYOUT_HALF
        const float ar = a[2 * k], ai = a[2 * k + 1], br = b[2 * k], bi = b[2 * k + 1];
#else
        const long64 at = k / 16 * step + k % 16;
        const float ar = a[at], ai = a[at + 16], br = b[at], bi = b[at + 16];
#endif
        re[k] = ar - bi;
        im[k] = ai + br;
        re[SIMD_WIDTH - k] = ar + bi;
        im[SIMD_WIDTH - k] = br - ai;
    }
    // The two real bins.
    re[0] = a[0];
    im[0] = b[0];
#if SIMD_IN == LAYOUT_HALF
    re[half_width] = a[2 * half_width];
    im[half_width] = b[2 * half_width];
#else
    re[half_width] = a[half_width / 16 * step + half_width % 16];
    im[half_width] = b[half_width / 16 * step + half_width % 16];
#endif
}
#endif

#if SIMD_OUT == LAYOUT_HALF || SIMD_OUT == LAYOUT_HALVES
// Bins k .. k + 15 of the two real rows whose complex sum's spectrum is in the line (re[width] = re[0]).
INLINE void simd_part(GLOBAL const float* re, GLOBAL const float* im, int k, Lanes* ar, Lanes* ai, Lanes* br, Lanes* bi) {
    const Lanes zr = vload16(0, re + k), zi = vload16(0, im + k);
    const Lanes wr = simd_reverse(vload16(0, re + SIMD_WIDTH - k - 15)),
                wi = simd_reverse(vload16(0, im + SIMD_WIDTH - k - 15));
    *ar = 0.5f * (zr + wr);
    *ai = 0.5f * (zi - wi);
    *br = 0.5f * (zi + wi);
    *bi = 0.5f * (wr - zr);
}
#endif

#if SIMD_CROP
#define SIMD_OUT_WIDTH SIMD_CROP
#else
#define SIMD_OUT_WIDTH SIMD_WIDTH
#endif

// Elements x .. x + 15 of an output row, those of them that are kept.
INLINE void simd_put_cropped(Lanes re, Lanes im, int x, GLOBAL float* row) {
#if SIMD_OUT == LAYOUT_COMPLEX
    if (x + 16 <= SIMD_OUT_WIDTH) {
        simd_put_complex(re, im, row + 2 * x);
    } else if (x < SIMD_OUT_WIDTH) {
        float r[16], s[16];
        vstore16(re, 0, r);
        vstore16(im, 0, s);
        for (int l = 0; l < SIMD_OUT_WIDTH - x; ++l) {
            row[2 * (x + l)] = r[l];
            row[2 * (x + l) + 1] = s[l];
        }
    }
#else
    if (x + 16 <= SIMD_OUT_WIDTH) {
        simd_put(re, row + x);
    } else if (x < SIMD_OUT_WIDTH) {
        float r[16];
        vstore16(re, 0, r);
        for (int l = 0; l < SIMD_OUT_WIDTH - x; ++l) row[x + l] = r[l];
    }
#endif
}

// rows: of all planes together, or fewer; height: of one plane in panels. scale: 1, or 1/N of an inverse. first: where in `out`
// to begin, in floats.
SIMD_KERNEL void simd_rows(GLOBAL const SIMD_TYPE* in, GLOBAL float* out, GLOBAL Lanes* scratch, GLOBAL const float2* twiddle,
                             GLOBAL const int* order, GLOBAL const int* place, GLOBAL const Lanes* across, int rows, int height,
                             float sign, float scale, long64 first) {
    out += first;
    const int pairs = SIMD_PAIRS ? 2 : 1;
    const int half_panels = (SIMD_WIDTH / 2 + 16) / 16;
    struct SimdIo io;
    io.work = scratch + get_group_id(0) * (long64)(2 * SIMD_LENGTH + 2 * SIMD_LINE / 16);
    io.sign = sign;
    io.step = SIMD_PANEL_ROWS(height) * (long64)32;
    GLOBAL float* line_re = (GLOBAL float*)(io.work + 2 * SIMD_LENGTH);
    GLOBAL float* line_im = line_re + SIMD_LINE;

    // A group takes rows that follow each other: what one row leaves of a cache line or page is the next one's.
    const long64 share = ((long64)rows + get_num_groups(0) * pairs - 1) / (get_num_groups(0) * pairs) * pairs;
    const long64 end = min((long64)rows, (long64)(get_group_id(0) + 1) * share);
    for (long64 row = get_group_id(0) * share; row < end; row += pairs) {
        const long64 other = SIMD_PAIRS && row + 1 < rows ? row + 1 : row;   // an odd number of rows: the last one twice
#if SIMD_IN == LAYOUT_COMPLEX
        io.a = in + row * 2 * SIMD_WIDTH;
#elif SIMD_IN == LAYOUT_PANELS
        io.a = in + simd_panel_row(row, height, SIMD_LENGTH);
#elif SIMD_IN == LAYOUT_FOLDED
        io.a = in + simd_panel_row(row, height, half_panels);
        io.b = io.a + half_panels * io.step;
#elif SIMD_IN == LAYOUT_REAL
        io.a = in + row * SIMD_WIDTH;
        io.b = in + other * SIMD_WIDTH;
#else
#if SIMD_IN == LAYOUT_HALF
        simd_merge(in + row * (SIMD_WIDTH + 2), in + other * (SIMD_WIDTH + 2), 0, line_re, line_im);
#else
        simd_merge(in + simd_panel_row(row, height, half_panels), in + simd_panel_row(other, height, half_panels), io.step,
                    line_re, line_im);
#endif
        io.a = line_re;
        io.b = line_im;
#endif
        simd_transform(&io, io.work, twiddle, order);

        // 16 results of each lane, k .. k + 15, are a 16-point transform's inputs once they are turned and transposed. The
        // last 16 may overlap those before.
        for (int step = 0; step < SIMD_LENGTH; step += 16) {
            const int k = step + 16 <= SIMD_LENGTH ? step : SIMD_LENGTH - 16;
            Lanes re[16], im[16];
#pragma unroll
            for (int j = 0; j < 16; ++j) {
                const int at = 2 * place[k + j];
                const Lanes r = io.work[at], i = io.work[at + 1], c = across[2 * (k + j)], s = across[2 * (k + j) + 1];
                re[j] = r * c - i * s;
                im[j] = r * s + i * c;
            }
            simd_transpose(re);
            simd_transpose(im);
            simd_dft(16, re, im);
#pragma unroll
            for (int q = 0; q < 16; ++q) {
                const int x = k + q * SIMD_LENGTH;
#if SIMD_VIA_LINE
                vstore16(re[q] * scale, 0, line_re + x);
                vstore16(im[q] * (scale * sign), 0, line_im + x);
#elif SIMD_OUT == LAYOUT_COMPLEX
                simd_put_cropped(re[q] * scale, im[q] * (scale * sign), x, out + row * 2 * SIMD_OUT_WIDTH);
#elif SIMD_OUT == LAYOUT_MODULUS
                // Scaled before it is squared: N times a large amplitude would be more than a root of the largest float.
                const Lanes u = re[q] * scale, v = im[q] * scale;
                simd_put_cropped(sqrt(u * u + v * v), im[q], x, out + row * SIMD_OUT_WIDTH);
#elif SIMD_OUT == LAYOUT_REAL
                simd_put(re[q] * scale, out + row * SIMD_WIDTH + x);
                simd_put(im[q] * (scale * sign), out + other * SIMD_WIDTH + x);
#else
                GLOBAL float* p = out + simd_panel_row(row, height, SIMD_LENGTH) + x / 16 * io.step;
                simd_put(re[q] * scale, p);
                simd_put(im[q] * (scale * sign), p + 16);
#endif
            }
        }

#if SIMD_OUT == LAYOUT_PANELS && SIMD_VIA_LINE
        GLOBAL float* p = out + simd_panel_row(row, height, SIMD_LENGTH);
        for (int x = 0; x < SIMD_LENGTH; ++x, p += io.step) {
            simd_put(vload16(x, line_re), p);
            simd_put(vload16(x, line_im), p + 16);
        }
#elif SIMD_OUT == LAYOUT_HALVES
        line_re[SIMD_WIDTH] = line_re[0];
        line_im[SIMD_WIDTH] = line_im[0];
        GLOBAL float* p = out + simd_panel_row(row, height, half_panels);
        GLOBAL float* o = out + simd_panel_row(other, height, half_panels);
        for (int x = 0; x < half_panels; ++x, p += io.step, o += io.step) {
            Lanes ar, ai, br, bi;
            simd_part(line_re, line_im, 16 * x, &ar, &ai, &br, &bi);
            simd_put(ar, p);
            simd_put(ai, p + 16);
            simd_put(br, o);
            simd_put(bi, o + 16);
        }
#elif SIMD_OUT == LAYOUT_HALF
        line_re[SIMD_WIDTH] = line_re[0];
        line_im[SIMD_WIDTH] = line_im[0];
        GLOBAL float* p = out + row * (SIMD_WIDTH + 2);
        GLOBAL float* o = out + other * (SIMD_WIDTH + 2);
        int k = 0;
        for (; k + 16 <= SIMD_WIDTH / 2 + 1; k += 16) {
            Lanes ar, ai, br, bi, lo, hi;
            simd_part(line_re, line_im, k, &ar, &ai, &br, &bi);
            simd_join(ar, ai, &lo, &hi);
            vstore16(lo, 0, p + 2 * k);
            vstore16(hi, 1, p + 2 * k);
            simd_join(br, bi, &lo, &hi);
            vstore16(lo, 0, o + 2 * k);
            vstore16(hi, 1, o + 2 * k);
        }
        for (; k <= SIMD_WIDTH / 2; ++k) {
            const float zr = line_re[k], zi = line_im[k], wr = line_re[SIMD_WIDTH - k], wi = line_im[SIMD_WIDTH - k];
            p[2 * k] = 0.5f * (zr + wr);
            p[2 * k + 1] = 0.5f * (zi - wi);
            o[2 * k] = 0.5f * (zi + wi);
            o[2 * k + 1] = 0.5f * (wr - zr);
        }
#endif
    }
}
