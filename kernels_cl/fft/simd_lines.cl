// Lines of any length for CPUs, 16 at once, a line a SIMD lane: 16 neighbouring columns of an image, or 16 rows (32 real rows,
// two to a complex line: two_rows.clh), which are transposed on the way into and out of a stage in the L2 cache.
//
//   columns   16 of them are a block: element i of all of its lines lies side by side in row i, and is a vector as it stands
//   rows      row 0   0 1 2 .. 15 | 16 ..                          stage   element 0   row 0, 1, .. 15   re, im
//             row 1   0 1 2 .. 15 |        -- 16 x 16 tiles -->            element 1   row 0, 1, .. 15   re, im
//             ..                              transposed                   ..
//
//   in -------------------> work (L1, L2) -----------------------> out                    columns: one read, one write
//   in --> stage ---------> work -----------------> stage -------> out                    rows
//             simd_first, then block by block the other passes (simd_core.clh); or Bluestein: x chirp, first and middle passes,
//             (last pass, x spectrum of the conjugate chirp, first pass back), the way back, x chirp
//
// Lengths with a prime factor above 17 go by Bluestein's algorithm: SIMD_POINTS is then the length of a line, and
// SIMD_LENGTH >= 2 SIMD_POINTS - 1 that of its convolution with a chirp. Groups are few and loop over the blocks of lines, so
// that their scratch stays in the cache. OpenCL only (float16). Source: as simd_core.clh; Bluestein 1970.
// backends: opencl
#include "prelude/prelude.clh"
#include "fft/simd_layouts.clh"
#include "fft/simd_shuffle.clh"

#ifndef SIMD_IN         // where lines come from: complex, real, half, panels or columns
#define SIMD_IN LAYOUT_COLUMNS
#endif
#ifndef SIMD_OUT        // where they go
#define SIMD_OUT LAYOUT_COLUMNS
#endif
#ifndef SIMD_POINTS     // 0: lines of SIMD_LENGTH; else their length, and Bluestein
#define SIMD_POINTS 0
#endif
#if SIMD_POINTS
#define SIMD_LINE SIMD_POINTS
#else
#define SIMD_LINE SIMD_LENGTH
#endif
#define SIMD_ALONG_ROWS (SIMD_IN < LAYOUT_PANELS)
#define SIMD_PAIRS (SIMD_IN == LAYOUT_REAL || SIMD_OUT == LAYOUT_REAL)

struct SimdIo {
    GLOBAL const float* in;
    GLOBAL float* out;
    long64 step;                  // floats from element to element of a column
    int lanes;                    // lines of this block, 16 but at the end
    float sign, scale;            // sign of imaginary parts: -1 for inverse transforms, which are conj(FFT(conj x))
    GLOBAL const float2* chirp;   // Bluestein: exp(-i pi j^2 / points)
    GLOBAL const float2* kernel_; // Bluestein: transform of the conjugate chirp, over SIMD_LENGTH, in the order of places
};
#include "fft/simd_core.clh"

// Element i of the lines, before the chirp.
INLINE void simd_fetch(const struct SimdIo* io, int i, Lanes* re, Lanes* im) {
#if SIMD_IN == LAYOUT_COLUMNS
    GLOBAL const float* p = io->in + i * io->step;
    if (io->lanes == 16) {
        simd_get_complex(p, re, im);
    } else {
        float r[16], s[16];
        for (int l = 0; l < 16; ++l) {
            r[l] = l < io->lanes ? p[2 * l] : 0.0f;
            s[l] = l < io->lanes ? p[2 * l + 1] : 0.0f;
        }
        *re = vload16(0, r);
        *im = vload16(0, s);
    }
#else
    GLOBAL const float* p = io->in + i * (long64)32;
    *re = vload16(0, p);
    *im = vload16(1, p);
#endif
    *im *= io->sign;
}

INLINE void simd_load(const struct SimdIo* io, int i, Lanes* re, Lanes* im) {
#if SIMD_POINTS
    if (i < SIMD_POINTS) {
        simd_fetch(io, i, re, im);
        simd_turn(re, im, io->chirp[i].x, io->chirp[i].y);
    } else {
        *re = (Lanes)(0.0f);
        *im = (Lanes)(0.0f);
    }
#else
    simd_fetch(io, i, re, im);
#endif
}

INLINE void simd_store(const struct SimdIo* io, int place, int k, Lanes re, Lanes im) {
#if SIMD_POINTS
    if (k >= SIMD_POINTS) return;
    simd_turn(&re, &im, io->chirp[k].x, io->chirp[k].y);
#endif
    re *= io->scale;
    im *= io->scale * io->sign;
#if SIMD_OUT == LAYOUT_COLUMNS
    GLOBAL float* p = io->out + k * io->step;
    if (io->lanes == 16) {
        simd_put_complex(re, im, p);
    } else {
        float r[16], s[16];
        vstore16(re, 0, r);
        vstore16(im, 0, s);
        for (int l = 0; l < io->lanes; ++l) {
            p[2 * l] = r[l];
            p[2 * l + 1] = s[l];
        }
    }
#else
    GLOBAL float* p = io->out + k * (long64)32;
#if SIMD_ALONG_ROWS
    vstore16(re, 0, p);   // the stage: it is read again at once
    vstore16(im, 1, p);
#else
    simd_put(re, p);
    simd_put(im, p + 16);
#endif
#endif
}

#if SIMD_POINTS
// Chirp, forward, product, inverse, chirp; the product is taken where the last pass forward and the first one back meet.
INLINE void simd_bluestein(const struct SimdIo* io, GLOBAL Lanes* work, GLOBAL const float2* twiddle) {
    simd_first(io, work, twiddle);
    for (int b = 0; b < SIMD_R0; ++b) {
        GLOBAL Lanes* block = work + 2 * b * SIMD_BLOCK;
        simd_middle(block, twiddle);
        for (int s = 0; s < SIMD_BLOCK; s += SIMD_LAST) {
            GLOBAL const float2* c = io->kernel_ + b * SIMD_BLOCK + s;
            GLOBAL Lanes* x = block + 2 * s;
            Lanes re[17], im[17];
#pragma unroll
            for (int i = 0; i < SIMD_LAST; ++i) {
                re[i] = x[2 * i];
                im[i] = x[2 * i + 1];
            }
            simd_dft(SIMD_LAST, re, im);
#pragma unroll
            for (int q = 0; q < SIMD_LAST; ++q) simd_turn(re + q, im + q, c[q].x, c[q].y);
            simd_dft(SIMD_LAST, im, re);
#pragma unroll
            for (int i = 0; i < SIMD_LAST; ++i) {
                x[2 * i] = re[i];
                x[2 * i + 1] = im[i];
            }
        }
        simd_undo_middle(block, twiddle);
    }
    simd_undo_first(io, work, twiddle);
}
#endif

#if SIMD_ALONG_ROWS
// Elements x .. x + 15 of 16 rows of complex numbers, rows `stride` floats apart, a row a lane; from `rows` on the last one.
INLINE void simd_get_tile(GLOBAL const float* in, long64 stride, int rows, int x, Lanes* re, Lanes* im) {
#pragma unroll
    for (int j = 0; j < 16; ++j) simd_get_complex(in + (j < rows ? j : rows - 1) * stride + 2 * x, re + j, im + j);
    simd_transpose(re);
    simd_transpose(im);
}

INLINE void simd_put_tile(GLOBAL float* out, long64 stride, int rows, int x, Lanes* re, Lanes* im) {
    simd_transpose(re);
    simd_transpose(im);
#pragma unroll
    for (int j = 0; j < 16; ++j)
        if (j < rows) {
            Lanes lo, hi;
            simd_join(re[j], im[j], &lo, &hi);
            vstore16(lo, 0, out + j * stride + 2 * x);
            vstore16(hi, 1, out + j * stride + 2 * x);
        }
}

// First of the 16 elements of a tile: the last tile overlaps the one before where a row is no multiple of 16.
INLINE int simd_tile(int step, int length) { return step + 16 <= length ? step : length - 16; }

// 16 rows, or 32 real ones, to and from the stage.
INLINE void simd_stage_in(GLOBAL const float* in, int rows, GLOBAL float* stage) {
    Lanes re[16], im[16];
#if SIMD_IN == LAYOUT_HALF
    const int half_line = SIMD_LINE / 2;
    const long64 stride = 2 * (half_line + 1);
    const int even = (rows + 1) / 2, odd = rows / 2;
    GLOBAL const float* b = odd > 0 ? in + stride : in;
    for (int k = 0; k <= half_line; ++k) {
        const int mirror = k == 0 ? 0 : SIMD_LINE - k;
        const float keep = mirror == k ? 0.0f : 1.0f;   // imaginary parts of the real bins do not count
        float ar[16], ai[16], br[16], bi[16];
        for (int l = 0; l < 16; ++l) {
            GLOBAL const float* p = in + (l < even ? l : 0) * 2 * stride + 2 * k;
            GLOBAL const float* q = b + (l < odd ? l : 0) * 2 * stride + 2 * k;
            ar[l] = p[0];
            ai[l] = p[1] * keep;
            br[l] = q[0];
            bi[l] = q[1] * keep;
        }
        const Lanes pr = vload16(0, ar), pi = vload16(0, ai), qr = vload16(0, br), qi = vload16(0, bi);
        vstore16(pr + qi, 2 * mirror, stage);
        vstore16(qr - pi, 2 * mirror + 1, stage);
        vstore16(pr - qi, 2 * k, stage);
        vstore16(pi + qr, 2 * k + 1, stage);
    }
#elif SIMD_LINE < 16
    for (int x = 0; x < SIMD_LINE; ++x)
        for (int l = 0; l < 16; ++l) {
#if SIMD_IN == LAYOUT_COMPLEX
            GLOBAL const float* p = in + (long64)(l < rows ? l : rows - 1) * 2 * SIMD_LINE + 2 * x;
            stage[x * 32 + l] = p[0];
            stage[x * 32 + 16 + l] = p[1];
#else
            stage[x * 32 + l] = in[min(2 * l, rows - 1) * SIMD_LINE + x];
            stage[x * 32 + 16 + l] = in[min(2 * l + 1, rows - 1) * SIMD_LINE + x];
#endif
        }
#else
    for (int step = 0; step < SIMD_LINE; step += 16) {
        const int x = simd_tile(step, SIMD_LINE);
#if SIMD_IN == LAYOUT_COMPLEX
        simd_get_tile(in, 2 * SIMD_LINE, rows, x, re, im);
#else
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            re[j] = vload16(0, in + min(2 * j, rows - 1) * (long64)SIMD_LINE + x);
            im[j] = vload16(0, in + min(2 * j + 1, rows - 1) * (long64)SIMD_LINE + x);
        }
        simd_transpose(re);
        simd_transpose(im);
#endif
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            vstore16(re[j], 2 * (x + j), stage);
            vstore16(im[j], 2 * (x + j) + 1, stage);
        }
    }
#endif
}

INLINE void simd_stage_out(GLOBAL const float* stage, int rows, GLOBAL float* out) {
    Lanes re[16], im[16];
#if SIMD_OUT == LAYOUT_HALF
    const int half_line = SIMD_LINE / 2;
    const long64 stride = 2 * (half_line + 1);
    for (int k = 0; k <= half_line; ++k) {
        const int mirror = k == 0 ? 0 : SIMD_LINE - k;
        const Lanes zr = vload16(2 * k, stage), zi = vload16(2 * k + 1, stage);
        const Lanes wr = vload16(2 * mirror, stage), wi = vload16(2 * mirror + 1, stage);
        float ar[16], ai[16], br[16], bi[16];
        vstore16(0.5f * (zr + wr), 0, ar);
        vstore16(0.5f * (zi - wi), 0, ai);
        vstore16(0.5f * (zi + wi), 0, br);
        vstore16(0.5f * (wr - zr), 0, bi);
        for (int l = 0; 2 * l < rows; ++l) {
            GLOBAL float* p = out + l * 2 * stride + 2 * k;
            p[0] = ar[l];
            p[1] = ai[l];
            if (2 * l + 1 < rows) {
                p[stride] = br[l];
                p[stride + 1] = bi[l];
            }
        }
    }
#elif SIMD_LINE < 16
    for (int x = 0; x < SIMD_LINE; ++x)
#if SIMD_OUT == LAYOUT_COMPLEX
        for (int l = 0; l < rows; ++l) {
            out[(l * SIMD_LINE + x) * 2] = stage[x * 32 + l];
            out[(l * SIMD_LINE + x) * 2 + 1] = stage[x * 32 + 16 + l];
        }
#else
        for (int l = 0; l < rows; ++l) out[l * SIMD_LINE + x] = stage[x * 32 + l % 2 * 16 + l / 2];
#endif
#else
    for (int step = 0; step < SIMD_LINE; step += 16) {
        const int x = simd_tile(step, SIMD_LINE);
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            re[j] = vload16(2 * (x + j), stage);
            im[j] = vload16(2 * (x + j) + 1, stage);
        }
#if SIMD_OUT == LAYOUT_COMPLEX
        simd_put_tile(out, 2 * SIMD_LINE, rows, x, re, im);
#else
        simd_transpose(re);
        simd_transpose(im);
#pragma unroll
        for (int j = 0; j < 16; ++j) {
            if (2 * j < rows) vstore16(re[j], 0, out + 2 * j * (long64)SIMD_LINE + x);
            if (2 * j + 1 < rows) vstore16(im[j], 0, out + (2 * j + 1) * (long64)SIMD_LINE + x);
        }
#endif
    }
#endif
}
#endif

// Along rows: `count` rows. Columns: `count` planes of `width` columns. scratch: for each group SIMD_LENGTH pairs and, along
// rows, SIMD_LINE pairs for the stage.
SIMD_KERNEL void simd_lines(GLOBAL const float* in, GLOBAL float* out, GLOBAL Lanes* scratch, GLOBAL const float2* twiddle,
                              GLOBAL const int* order, GLOBAL const float2* chirp, GLOBAL const float2* kernel_, int count,
                              int width, float sign, float scale) {
    const long64 stage_pairs = SIMD_ALONG_ROWS ? SIMD_LINE : 0;
    GLOBAL Lanes* work = scratch + get_group_id(0) * 2 * (SIMD_LENGTH + stage_pairs);
    struct SimdIo io;
    io.sign = sign;
    io.scale = scale;
    io.chirp = chirp;
    io.kernel_ = kernel_;
#if SIMD_ALONG_ROWS
    GLOBAL float* stage = (GLOBAL float*)(work + 2 * SIMD_LENGTH);
    const int block_rows = SIMD_PAIRS ? 32 : 16;
    const long64 in_row = SIMD_IN == LAYOUT_REAL ? SIMD_LINE
                        : SIMD_IN == LAYOUT_HALF ? 2 * (SIMD_LINE / 2 + 1)
                                                  : 2 * SIMD_LINE;
    const long64 out_row = SIMD_OUT == LAYOUT_REAL ? SIMD_LINE
                         : SIMD_OUT == LAYOUT_HALF ? 2 * (SIMD_LINE / 2 + 1)
                                                    : 2 * SIMD_LINE;
    io.in = stage;
    io.out = stage;
    io.step = 0;
    io.lanes = 16;
    for (long64 row = get_group_id(0) * (long64)block_rows; row < count; row += get_num_groups(0) * (long64)block_rows) {
        const int rows = (int)min((long64)block_rows, count - row);
        simd_stage_in(in + row * in_row, rows, stage);
#else
    const int panels = (width + 15) / 16;
    const long64 plane_floats = SIMD_LINE * (long64)width * 2;
    io.step = 2 * (long64)width;
    for (long64 block = get_group_id(0); block < count * (long64)panels; block += get_num_groups(0)) {
        const int panel = (int)(block % panels);
        const long64 column = block / panels * plane_floats + panel * 32;
        io.in = SIMD_IN == LAYOUT_COLUMNS ? in + column : in + block * SIMD_PANEL_ROWS(SIMD_LINE) * 32;
        io.out = SIMD_OUT == LAYOUT_COLUMNS ? out + column : out + block * SIMD_PANEL_ROWS(SIMD_LINE) * 32;
        io.lanes = min(16, width - 16 * panel);
#endif
#if SIMD_POINTS
        simd_bluestein(&io, work, twiddle);
#else
        simd_transform(&io, work, twiddle, order);
#endif
#if SIMD_ALONG_ROWS
        simd_stage_out(stage, rows, out + row * out_row);
#endif
    }
}
