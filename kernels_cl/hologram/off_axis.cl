// Off-axis holograms: find the carrier, move it to frequency zero, keep the disc about it (docs/hologram.md).
//
//   spectrum    .   .  (-1)  .   .  zero  .   .  (+1)  .     the two orders stand mirrored about zero
//   moved       .   .  zero  .   .  (+1)  .   .    .   .     +1 at frequency zero: its disc is the object, undisturbed
//
//   h -> window -> field -> FFT -> carrier_partial, carrier_final -> found, to a pixel of the spectrum; then the second peak
//              `-> image -> refine_rows -> refine_columns -> refine_pick -> found, in tenths and then hundredths of a pixel
//   h -> demodulate -> field -> mean_field -> padded (prepare.cl) -> FFT -> isolate -> spectrum of the order
//
//   window            (h - mean) x Hann, real for the refinement and complex for the transform
//   carrier_partial   the strongest local peak of each work-group's share of a half plane; second: farther than a third of the
//                     carrier from the first
//   carrier_final     the strongest of all -> found
//   refine_rows       direct transform of the windowed rows at REACH steps to either side of the frequency so far
//   refine_columns    the same along columns: powers at SIDE x SIDE frequencies
//   refine_pick       the strongest of them; after the last step by parabolas between them, and with what demodulation needs
//   demodulate        h exp(-i 2 pi (cx x / width + cy y / height)), exact for any fraction, and sums for its mean
//   mean_field        the sums -> one mean
//   isolate           everything outside the disc -> 0
// Nothing waits for the host. Frequencies are whole hundredths of a pixel of the spectrum, so that their phases, in 64-bit
// fractions of a turn, are exact.
#include "prelude/prelude.clh"
#include "hologram/found.clh"
#include "hologram/propagate.clh"

#ifndef GROUP              // work-group size of searches and sums, a power of two
#define GROUP 256
#endif
#ifndef GROUPS             // work-groups of them, at most GROUP
#define GROUPS 256
#endif
#define REACH 10
#define SIDE (2 * REACH + 1)
#define RUN 64             // terms of a partial sum: short sums lose fewer digits

INLINE float hann(uint i, uint n) {
    const float2 c = cis_turns(turns_from_float((2.0f * (float)i + 1.0f) / (2.0f * (float)n)));
    return 0.5f - 0.5f * c.x;
}

KERNEL void window(GLOBAL const float* RESTRICT h, GLOBAL const float* RESTRICT mean_of_h, GLOBAL float* RESTRICT image,
                   GLOBAL float2* RESTRICT field, uint width, uint height) {
    const uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width) return;
    const ulong64 i = (ulong64)y * width + x;
    const float value = (h[i] - mean_of_h[0]) * (hann(y, height) * hann(x, width));
    image[i] = value;
    field[i] = make_float2(value, 0.0f);
}

INLINE float power_at(GLOBAL const float2* spectrum, int x, int y, int width, int height) {
    const int i = x < 0 ? x + width : (x >= width ? x - width : x), j = y < 0 ? y + height : (y >= height ? y - height : y);
    const float2 v = spectrum[(ulong64)j * width + i];
    return fma(v.x, v.x, v.y * v.y);
}

// Keeps the larger power; of equal ones the lower index, so that the answer is the same on every device.
INLINE void keep_stronger(LOCAL float* power, LOCAL uint* index, uint a, uint b) {
    if (power[b] > power[a] || (power[b] == power[a] && index[b] < index[a])) {
        power[a] = power[b];
        index[a] = index[b];
    }
}

// lower: which half plane, y > 0 or y < 0, and of the row y = 0 the same half of x.
KERNEL void carrier_partial(GLOBAL const float2* RESTRICT spectrum, GLOBAL float* RESTRICT best_power,
                            GLOBAL uint* RESTRICT best_index, GLOBAL const float* RESTRICT found, uint width, uint height,
                            float exclude, int lower, int second) {
    LOCAL_ARRAY(float, power, GROUP);
    LOCAL_ARRAY(uint, index, GROUP);
    const uint item = get_local_id(0);
    float mine = 0.0f;
    uint where = 0xffffffffu;
    const uint count = width * height;
    const float first_x = second != 0 ? found[FOUND_X] / 100.0f : 0.0f, first_y = second != 0 ? found[FOUND_Y] / 100.0f : 0.0f;
    const float apart = fma(first_x, first_x, first_y * first_y) / 9.0f;
    for (uint i = get_group_id(0) * GROUP + item; i < count; i += GROUP * GROUPS) {
        const int x = signed_index(i % width, width), y = signed_index(i / width, height);
        const bool on_side = lower != 0 ? (y > 0 || (y == 0 && x > 0)) : (y < 0 || (y == 0 && x < 0));
        if (!on_side || (float)(x * x + y * y) <= exclude * exclude) continue;
        const float from_x = (float)x - first_x, from_y = (float)y - first_y;
        if (second != 0 && fma(from_x, from_x, from_y * from_y) <= apart) continue;
        const int u = (int)(i % width), v = (int)(i / width);
        const float p = power_at(spectrum, u, v, (int)width, (int)height);
        if (!(p > mine)) continue;
        bool peak = true;
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                if ((dx != 0 || dy != 0) && power_at(spectrum, u + dx, v + dy, (int)width, (int)height) > p) peak = false;
            }
        }
        if (peak) {
            mine = p;
            where = i;
        }
    }
    power[item] = mine;
    index[item] = where;
    BARRIER_LOCAL();
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (item < step) keep_stronger(power, index, item, item + step);
        BARRIER_LOCAL();
    }
    if (item == 0) {
        best_power[get_group_id(0)] = power[0];
        best_index[get_group_id(0)] = index[0];
    }
}

KERNEL void carrier_final(GLOBAL const float* RESTRICT best_power, GLOBAL const uint* RESTRICT best_index,
                          GLOBAL float* RESTRICT found, uint width, uint height, int second) {
    LOCAL_ARRAY(float, power, GROUP);
    LOCAL_ARRAY(uint, index, GROUP);
    const uint item = get_local_id(0);
    power[item] = item < GROUPS ? best_power[item] : 0.0f;
    index[item] = item < GROUPS ? best_index[item] : 0xffffffffu;
    BARRIER_LOCAL();
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (item < step) keep_stronger(power, index, item, item + step);
        BARRIER_LOCAL();
    }
    if (item != 0) return;
    if (second != 0) {
        found[FOUND_SECOND] = power[0];
        return;
    }
    const bool any = index[0] != 0xffffffffu;
    found[FOUND_X] = any ? 100.0f * (float)signed_index(index[0] % width, width) : 0.0f;
    found[FOUND_Y] = any ? 100.0f * (float)signed_index(index[0] / width, height) : 0.0f;
    found[FOUND_REST_X] = 0.0f;
    found[FOUND_REST_Y] = 0.0f;
    found[FOUND_FIRST] = power[0];
}

// Turns of one pixel at step k of SIDE about `hundredths`; `unit` are the turns of one hundredth.
INLINE ulong64 turns_at(float hundredths, int k, int step, ulong64 unit) {
    return (ulong64)(long64)((int)hundredths + (k - REACH) * step) * unit;
}

// A work-item a row and frequency; they stand side by side by frequency, so that neighbours read the same pixels.
KERNEL void refine_rows(GLOBAL const float* RESTRICT image, GLOBAL const float* RESTRICT found, GLOBAL float2* RESTRICT rows,
                        uint width, uint height, int step, ulong64 unit) {
    const uint id = get_global_id(0);
    if (id >= height * SIDE) return;
    GLOBAL const float* row = image + (ulong64)(id / SIDE) * width;
    const ulong64 turns = turns_at(found[FOUND_X], (int)(id % SIDE), step, unit);
    float2 sum = make_float2(0.0f, 0.0f);
    for (uint first = 0; first < width; first += RUN) {
        float2 part = make_float2(0.0f, 0.0f);
        const uint end = first + RUN < width ? first + RUN : width;
        for (uint x = first; x < end; ++x) {
            const float2 c = cis_turns(turns * (ulong64)x);
            part.x = fma(row[x], c.x, part.x);
            part.y = fma(row[x], -c.y, part.y);
        }
        sum.x += part.x;
        sum.y += part.y;
    }
    rows[id] = sum;
}

KERNEL void refine_columns(GLOBAL const float2* RESTRICT rows, GLOBAL const float* RESTRICT found, GLOBAL float* RESTRICT powers,
                           uint height, int step, ulong64 unit) {
    const uint id = get_global_id(0);
    if (id >= SIDE * SIDE) return;
    const uint column = id % SIDE;
    const ulong64 turns = turns_at(found[FOUND_Y], (int)(id / SIDE), step, unit);
    float2 sum = make_float2(0.0f, 0.0f);
    for (uint first = 0; first < height; first += RUN) {
        float2 part = make_float2(0.0f, 0.0f);
        const uint end = first + RUN < height ? first + RUN : height;
        for (uint y = first; y < end; ++y) {
            const float2 c = cis_turns(turns * (ulong64)y);
            const float2 r = rows[(ulong64)y * SIDE + column];
            part.x += fma(r.x, c.x, r.y * c.y);          // times exp(-i ...)
            part.y += fma(r.y, c.x, -(r.x * c.y));
        }
        sum.x += part.x;
        sum.y += part.y;
    }
    powers[id] = fma(sum.x, sum.x, sum.y * sum.y);
}

// Offset of a parabola's top from its middle point, in steps.
INLINE float parabola(float before, float at, float after) {
    const float curvature = (before - at) + (after - at);
    if (!(curvature < 0.0f)) return 0.0f;
    const float offset = 0.5f * (before - after) / curvature;
    return offset < -0.5f ? -0.5f : (offset > 0.5f ? 0.5f : offset);
}

// Turns of so many pixels of the spectrum, far below one, along an axis of n.
INLINE ulong64 small_turns(float pixels, uint n) { return (ulong64)(long64)(pixels / (float)n * 18446744073709551616.0f); }

// One work-item. wanted_radius 0: a third of the carrier's distance. carrier_turns: of one pixel in x and in y.
KERNEL void refine_pick(GLOBAL const float* RESTRICT powers, GLOBAL float* RESTRICT found, GLOBAL ulong64* RESTRICT carrier_turns,
                        int step, int last, float wanted_radius, uint width, uint height, ulong64 unit_x, ulong64 unit_y) {
    if (get_global_id(0) != 0) return;
    int best = 0;
    for (int i = 1; i < SIDE * SIDE; ++i) {
        if (powers[i] > powers[best]) best = i;
    }
    const int i = best % SIDE, j = best / SIDE;
    const float x = found[FOUND_X] + (float)((i - REACH) * step), y = found[FOUND_Y] + (float)((j - REACH) * step);
    found[FOUND_X] = x;
    found[FOUND_Y] = y;
    if (last == 0) return;
    const float pixels = (float)step / 100.0f;
    const float rest_x = i > 0 && i + 1 < SIDE ? pixels * parabola(powers[best - 1], powers[best], powers[best + 1]) : 0.0f;
    const float rest_y = j > 0 && j + 1 < SIDE ? pixels * parabola(powers[best - SIDE], powers[best], powers[best + SIDE]) : 0.0f;
    found[FOUND_REST_X] = rest_x;
    found[FOUND_REST_Y] = rest_y;
    carrier_turns[0] = (ulong64)(long64)(int)x * unit_x + small_turns(rest_x, width);
    carrier_turns[1] = (ulong64)(long64)(int)y * unit_y + small_turns(rest_y, height);
    const float cx = x / 100.0f + rest_x, cy = y / 100.0f + rest_y;
    found[FOUND_RADIUS] = wanted_radius > 0.0f ? wanted_radius : sqrt(fma(cx, cx, cy * cy)) / 3.0f;
}

KERNEL void demodulate(GLOBAL const float* RESTRICT h, GLOBAL const ulong64* RESTRICT carrier_turns,
                       GLOBAL float2* RESTRICT field, GLOBAL float2* RESTRICT sums, uint width, ulong64 count) {
    LOCAL_ARRAY(float, re, GROUP);
    LOCAL_ARRAY(float, im, GROUP);
    const uint item = get_local_id(0);
    float2 sum = make_float2(0.0f, 0.0f);
    for (ulong64 i = (ulong64)get_group_id(0) * GROUP + item; i < count; i += (ulong64)GROUP * GROUPS) {
        const float2 c = cis_turns(carrier_turns[0] * (i % width) + carrier_turns[1] * (i / width));
        const float2 u = make_float2(h[i] * c.x, -(h[i] * c.y));
        field[i] = u;
        sum.x += u.x;
        sum.y += u.y;
    }
    re[item] = sum.x;
    im[item] = sum.y;
    BARRIER_LOCAL();
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (item < step) {
            re[item] += re[item + step];
            im[item] += im[item + step];
        }
        BARRIER_LOCAL();
    }
    if (item == 0) sums[get_group_id(0)] = make_float2(re[0], im[0]);
}

KERNEL void mean_field(GLOBAL const float2* RESTRICT sums, GLOBAL float2* RESTRICT mean, ulong64 count) {
    LOCAL_ARRAY(float, re, GROUP);
    LOCAL_ARRAY(float, im, GROUP);
    const uint item = get_local_id(0);
    re[item] = item < GROUPS ? sums[item].x : 0.0f;
    im[item] = item < GROUPS ? sums[item].y : 0.0f;
    BARRIER_LOCAL();
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (item < step) {
            re[item] += re[item + step];
            im[item] += im[item + step];
        }
        BARRIER_LOCAL();
    }
    if (item == 0) mean[0] = make_float2(re[0] / (float)count, im[0] / (float)count);
}

// found[FOUND_RADIUS] in pixels of the unpadded spectrum (width x height); the spectrum is padded. In place.
KERNEL void isolate(GLOBAL const float2* spectrum, GLOBAL float2* out, GLOBAL const float* RESTRICT found, uint width,
                    uint height, uint padded_width, uint padded_height) {
    const uint i = get_global_id(0), j = get_global_id(1);
    if (i >= padded_width) return;
    const float x = (float)signed_index(i, padded_width) * ((float)width / (float)padded_width);
    const float y = (float)signed_index(j, padded_height) * ((float)height / (float)padded_height);
    const ulong64 at = (ulong64)j * padded_width + i;
    const bool inside = fma(x, x, y * y) <= found[FOUND_RADIUS] * found[FOUND_RADIUS];
    out[at] = inside ? spectrum[at] : make_float2(0.0f, 0.0f);
}
