// Real transforms of rows that one work-group cannot hold, around complex ones: two real rows a, b are one complex row
// z = a + i b (two_rows.clh). One work-item an element; an odd last row is paired with zeros.
//   pack_rows: a, b -> z      split_spectra: Z -> A, B      join_spectra: A, B -> Z      unpack_rows: z -> a, b
#include "prelude/prelude.clh"
#include "fft/two_rows.clh"

KERNEL void pack_rows(GLOBAL const float *RESTRICT in, GLOBAL float2 *RESTRICT z, ulong64 rows, ulong64 n) {
    const ulong64 at = get_global_id(0), pair = at / n, i = at % n;
    if (pair >= (rows + 1) / 2) return;
    const ulong64 a = 2 * pair * n + i;
    z[at] = make_float2(in[a], 2 * pair + 1 < rows ? in[a + n] : 0.0f);
}

KERNEL void split_spectra(GLOBAL const float2 *RESTRICT z, GLOBAL float2 *RESTRICT out, ulong64 rows, ulong64 n) {
    const ulong64 half_n = n / 2 + 1;
    const ulong64 at = get_global_id(0), pair = at / half_n, k = at % half_n;
    if (pair >= (rows + 1) / 2) return;
    const float2 here = z[pair * n + k], mirrored = z[pair * n + (k == 0 ? 0 : n - k)];
    const ulong64 a = 2 * pair * half_n + k;
    out[a] = first_of_two(here, mirrored);
    if (2 * pair + 1 < rows) out[a + half_n] = second_of_two(here, mirrored);
}

KERNEL void join_spectra(GLOBAL const float2 *RESTRICT in, GLOBAL float2 *RESTRICT z, ulong64 rows, ulong64 n) {
    const ulong64 half_n = n / 2 + 1;
    const ulong64 at = get_global_id(0), pair = at / n, i = at % n;
    if (pair >= (rows + 1) / 2) return;
    const ulong64 k = i < half_n ? i : n - i, first = 2 * pair * half_n + k;
    const float2 a = in[first], b = 2 * pair + 1 < rows ? in[first + half_n] : make_float2(0.0f, 0.0f);
    if (i == 0 || 2 * i == n) z[at] = make_float2(a.x, b.x);
    else z[at] = i < half_n ? joined_two(a, b) : joined_two_mirrored(a, b);
}

KERNEL void unpack_rows(GLOBAL const float2 *RESTRICT z, GLOBAL float *RESTRICT out, ulong64 rows, ulong64 n) {
    const ulong64 at = get_global_id(0), pair = at / n, i = at % n;
    if (pair >= (rows + 1) / 2) return;
    const ulong64 a = 2 * pair * n + i;
    out[a] = z[at].x;
    if (2 * pair + 1 < rows) out[a + n] = z[at].y;
}
