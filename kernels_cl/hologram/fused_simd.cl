// Columns of the fused hologram for CPUs: forward transform, product with the transfer function H, inverse transform, while
// 16 columns stay in the L2 cache. Columns kx and -kx both come from column kx of a real hologram's half spectrum F: with
// H even in kx and ky, the one is IFFT(F H), the other conj(IFFT(F conj(H))); the conjugate is left to whoever reads it.
// in:  panels of the columns 0 .. width / 2 (fft/simd_layouts.clh, LAYOUT_HALVES)
// out: panels of IFFT(F H), then as many of IFFT(F conj(H)) (LAYOUT_FOLDED), not divided by the length
// transfer: float2 [SIMD_LENGTH][width], of which the columns 0 .. width / 2 and rows 0 .. SIMD_LENGTH / 2 are read.
// OpenCL only (float16).
// backends: opencl
#include "prelude/prelude.clh"
#include "fft/simd_shuffle.clh"

struct SimdIo {
    GLOBAL const float* in;
    GLOBAL float* out;
};
#include "fft/simd_core.clh"

INLINE void simd_load(const struct SimdIo* io, int i, Lanes* re, Lanes* im) {
    GLOBAL const float* p = io->in + i * (long64)32;
    *re = vload16(0, p);
    *im = vload16(1, p);
}

INLINE void simd_store(const struct SimdIo* io, int place, int k, Lanes re, Lanes im) {
    GLOBAL float* p = io->out + k * (long64)32;
    simd_put(re, p);
    simd_put(im, p + 16);
}

// The last pass forward, both products and the first pass back, on one block: `plus` becomes F H and `minus` F conj(H).
INLINE void product(int b, GLOBAL Lanes* plus, GLOBAL Lanes* minus, GLOBAL const int* order, GLOBAL const float* transfer,
                    long64 row) {
    const int groups = SIMD_BLOCK / SIMD_LAST;
    for (int s = 0; s < groups; ++s) {
        GLOBAL Lanes* x = plus + 2 * s * SIMD_LAST;
        GLOBAL Lanes* y = minus + 2 * s * SIMD_LAST;
        Lanes re[17], im[17], cre[17], cim[17];
#pragma unroll
        for (int i = 0; i < SIMD_LAST; ++i) {
            re[i] = x[2 * i];
            im[i] = x[2 * i + 1];
        }
        simd_dft(SIMD_LAST, re, im);
        const int k = order[b * groups + s];
#pragma unroll
        for (int q = 0; q < SIMD_LAST; ++q) {
            const int ky = k + q * (SIMD_LENGTH / SIMD_LAST);
            Lanes c, d;
            simd_get_complex(transfer + min(ky, SIMD_LENGTH - ky) * row, &c, &d);
            const Lanes rc = re[q] * c, id = im[q] * d, rd = re[q] * d, ic = im[q] * c;
            re[q] = rc - id;
            im[q] = rd + ic;
            cre[q] = rc + id;
            cim[q] = ic - rd;
        }
        simd_dft(SIMD_LAST, im, re);
        simd_dft(SIMD_LAST, cim, cre);
#pragma unroll
        for (int i = 0; i < SIMD_LAST; ++i) {
            x[2 * i] = re[i];
            x[2 * i + 1] = im[i];
            y[2 * i] = cre[i];
            y[2 * i + 1] = cim[i];
        }
    }
}

// panels: of one half. scratch: for each group 2 SIMD_LENGTH pairs.
SIMD_KERNEL void fused_columns(GLOBAL const float* in, GLOBAL const float* transfer, GLOBAL float* out, GLOBAL Lanes* scratch,
                                GLOBAL const float2* twiddle, GLOBAL const int* order, int width, int panels) {
    const long64 panel_floats = SIMD_PANEL_ROWS(SIMD_LENGTH) * (long64)32;
    GLOBAL Lanes* plus = scratch + get_group_id(0) * (long64)(4 * SIMD_LENGTH);
    GLOBAL Lanes* minus = plus + 2 * SIMD_LENGTH;
    for (int p = get_group_id(0); p < panels; p += get_num_groups(0)) {
        struct SimdIo io;
        io.in = in + p * panel_floats;
        simd_first(&io, plus, twiddle);
        for (int b = 0; b < SIMD_R0; ++b) {
            GLOBAL Lanes* x = plus + 2 * b * SIMD_BLOCK;
            GLOBAL Lanes* y = minus + 2 * b * SIMD_BLOCK;
            simd_middle(x, twiddle);
            product(b, x, y, order, transfer + p * 32, 2 * (long64)width);
            simd_undo_middle(x, twiddle);
            simd_undo_middle(y, twiddle);
        }
        io.out = out + p * panel_floats;
        simd_undo_first(&io, plus, twiddle);
        io.out = out + (panels + p) * panel_floats;
        simd_undo_first(&io, minus, twiddle);
    }
}
