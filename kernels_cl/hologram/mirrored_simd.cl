// A hologram among its mirror images (mirror.clh) on a CPU's wide vectors, between row passes that know nothing of it
// (fft/simd_rows.cl):
//   fold      camera frames -> f32 in the order of the transform, 16 pixels a work-item
//   columns   half spectra of the rows -> spectra of what comes back
//   unfold    f32 in the order of the transform -> as it was
// The half spectrum of a real row holds its cosine transform: with z = w V[k], C[k] = 2 Re z and C[N - k] = -2 Im z. So a column
// of it, times w, is two columns of cosine transforms, k and N - k, as one complex line. A panel of 16 is transformed along y,
// made cosines of y, parted for its two transfer functions, and both are transformed back, while they stay in the L2 cache.
//   in        panels of the columns 0 .. width / 2 (fft/simd_layouts.clh, LAYOUT_HALVES)
//   out       panels of the spectra of rows at k, then of the conjugates of those at -k (LAYOUT_FOLDED), not divided
//   transfer  float2 [rows][2 width] of the frame of twice the size: columns 0 .. width and rows 0 .. SIMD_LENGTH
// For OpenCL only (float16):
// backends: opencl
#include "prelude/prelude.clh"
#include "fft/simd_shuffle.clh"
#include "hologram/camera.clh"
#include "fft/mirror.clh"

#define STEP_FORWARD 0
#define STEP_PLUS 1
#define STEP_MINUS 2

struct SimdIo {
    int step;
    GLOBAL const float* in;      // the panel
    GLOBAL Lanes* points;        // [SIMD_LENGTH][2]: what a transform takes or leaves
    GLOBAL const Lanes* plus;    // STEP_MINUS: results at k
    GLOBAL float* out;
    GLOBAL float* out_minus;
    Lanes wr, wi;                // w of the panel's columns
};
#include "fft/simd_core.clh"

INLINE void simd_load(const struct SimdIo* io, int i, Lanes* re, Lanes* im) {
    if (io->step == STEP_FORWARD) {
        GLOBAL const float* p = io->in + i * (long64)32;
        const Lanes x = vload16(0, p), y = vload16(1, p);
        *re = 2.0f * (io->wr * x - io->wi * y);
        *im = -2.0f * (io->wr * y + io->wi * x);
    } else {   // an inverse is a forward transform with the parts exchanged on both sides
        *re = io->points[2 * i + 1];
        *im = io->points[2 * i];
    }
}

INLINE void simd_store(const struct SimdIo* io, int place, int k, Lanes re, Lanes im) {
    if (io->step == STEP_FORWARD) {
        io->points[2 * k] = re;
        io->points[2 * k + 1] = im;
    } else if (io->step == STEP_PLUS) {
        io->points[2 * k] = im;
        io->points[2 * k + 1] = re;
    } else {   // im, re: at N - k; with what is at k the row's spectrum
        const Lanes px = io->plus[2 * k], py = io->plus[2 * k + 1];
        const Lanes sx = 0.5f * (px + re), sy = 0.5f * (py - im), tx = 0.5f * (px - re), ty = 0.5f * (py + im);
        GLOBAL float* p = io->out + k * (long64)32;
        GLOBAL float* m = io->out_minus + k * (long64)32;
        simd_put(io->wr * sx + io->wi * sy, p);
        simd_put(io->wr * sy - io->wi * sx, p + 16);
        simd_put(io->wr * tx - io->wi * ty, m);
        simd_put(-(io->wr * ty + io->wi * tx), m + 16);
    }
}

// a, b: a real part of two cosines that mirror each other, times H -> points l and LENGTH - l of the way back
INLINE void back(Lanes a, Lanes b, GLOBAL const float* h, GLOBAL const float* mirror_h, int reversed, float2 w,
                 GLOBAL Lanes* point, GLOBAL Lanes* mirror_point) {
    Lanes c, d, e, f;
    simd_get_complex(h, &c, &d);
    simd_get_complex(mirror_h, &e, &f);
    if (reversed) {
        c = simd_reverse(c);
        d = simd_reverse(d);
        e = simd_reverse(e);
        f = simd_reverse(f);
    }
    c *= 0.5f * a;
    d *= 0.5f * a;
    e *= 0.5f * b;
    f *= 0.5f * b;
    const Lanes sx = c + f, sy = d - e, tx = c - f, ty = d + e;
    mirror_point[0] = w.x * tx - w.y * ty;
    mirror_point[1] = w.x * ty + w.y * tx;
    point[0] = w.x * sx + w.y * sy;   // the same where the two are one
    point[1] = w.x * sy - w.y * sx;
}

// points: spectrum -> what goes back at k; minus: at N - k. column: of the panel's first.
INLINE void product(GLOBAL Lanes* points, GLOBAL Lanes* minus, GLOBAL const float2* quarters, GLOBAL const float* transfer,
                    int column, int width) {
    for (int l = 0; l <= SIMD_LENGTH / 2; ++l) {
        const int m = l == 0 ? 0 : SIMD_LENGTH - l;
        const float2 w = quarters[l];
        const Lanes ax = points[2 * l], ay = points[2 * l + 1], bx = points[2 * m], by = points[2 * m + 1];
        const Lanes px = w.x * ax - w.y * ay, py = w.x * ay + w.y * ax, qx = w.x * bx + w.y * by, qy = w.x * by - w.y * bx;
        GLOBAL const float* h = transfer + l * (long64)(4 * width);
        GLOBAL const float* mirror_h = transfer + (SIMD_LENGTH - l) * (long64)(4 * width);
        const int other = width - column - 15;
        back(px + qx, qy - py, h + 2 * column, mirror_h + 2 * column, 0, w, points + 2 * l, points + 2 * m);
        back(py + qy, px - qx, h + 2 * other, mirror_h + 2 * other, 1, w, minus + 2 * l, minus + 2 * m);
    }
}

// panels: of one half. scratch: for each group 3 SIMD_LENGTH pairs. Quarters: exp(-i pi k / 2N) of columns, then of rows.
SIMD_KERNEL void columns(GLOBAL const float* in, GLOBAL const float* transfer, GLOBAL float* out, GLOBAL Lanes* scratch,
                         GLOBAL const float2* twiddle, GLOBAL const int* order, GLOBAL const float2* quarters,
                         GLOBAL const float* row_quarters, int width, int panels) {
    const long64 panel_floats = SIMD_PANEL_ROWS(SIMD_LENGTH) * (long64)32;
    GLOBAL Lanes* work = scratch + get_group_id(0) * (long64)(6 * SIMD_LENGTH);
    GLOBAL Lanes* plus = work + 2 * SIMD_LENGTH;
    GLOBAL Lanes* minus = plus + 2 * SIMD_LENGTH;
    for (int p = get_group_id(0); p < panels; p += get_num_groups(0)) {
        struct SimdIo io;
        simd_get_complex(row_quarters + p * 32, &io.wr, &io.wi);
        io.step = STEP_FORWARD;
        io.in = in + p * panel_floats;
        io.points = plus;
        simd_transform(&io, work, twiddle, order);
        product(plus, minus, quarters, transfer, 16 * p, width);
        io.step = STEP_PLUS;
        simd_transform(&io, work, twiddle, order);
        io.step = STEP_MINUS;
        io.points = minus;
        io.plus = plus;
        io.out = out + p * panel_floats;
        io.out_minus = out + (panels + p) * panel_floats;
        simd_transform(&io, work, twiddle, order);
    }
}

// A work-item: 16 pixels of a row, whose width is a multiple of 16.
KERNEL void fold(GLOBAL const HOLOGRAM_TYPE* RESTRICT hologram, GLOBAL const BACKGROUND_TYPE* RESTRICT background,
                 GLOBAL const DARK_TYPE* RESTRICT dark, GLOBAL float* RESTRICT out, uint width, uint height) {
    const uint x = 16u * (uint)get_global_id(0), y = get_global_id(1);
    if (x >= width) return;
    const ulong64 from = (ulong64)y * width + x;
#if HAS_BACKGROUND || HAS_DARK
    float one[16];
    for (int i = 0; i < 16; ++i) one[i] = normalised(hologram, background, dark, from + (ulong64)i);
    const Lanes v = vload16(0, one);
#else
    const Lanes v = convert_float16(vload16(0, hologram + from));
#endif
    GLOBAL float* row = out + (ulong64)mirror_place(y, height) * width;
    vstore8(v.even, 0, row + x / 2u);
    vstore8(v.odd.s76543210, 0, row + width - x / 2u - 8u);
}

KERNEL void unfold(GLOBAL const float* RESTRICT in, GLOBAL float* RESTRICT out, uint width, uint height, ulong64 first) {
    const uint x = 16u * (uint)get_global_id(0), y = get_global_id(1);
    if (x >= width) return;
    GLOBAL const float* row = in + (ulong64)mirror_place(y, height) * width;
    Lanes v;
    v.even = vload8(0, row + x / 2u);
    v.odd = vload8(0, row + width - x / 2u - 8u).s76543210;
    vstore16(v, 0, out + first + (ulong64)y * width + x);
}
