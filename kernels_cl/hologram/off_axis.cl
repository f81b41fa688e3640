// Off-axis holograms: find the +1 order in the spectrum and bring it to the centre.
//   carrier_partial  the strongest local peak of each work-group's share of the half plane (y < 0, or y = 0 and x < 0)
//   carrier_final    the strongest of all -> carrier[0..2] = x, y (signed), radius
//   isolate          disc about the carrier moved to zero frequency, all else 0
// The carrier stays on the device: the frames that follow use it without a search, and no host waits for it.
#include "prelude/prelude.clh"
#include "hologram/propagate.clh"

#ifndef GROUP              // work-group size of the search, a power of two
#define GROUP 256
#endif
#ifndef GROUPS             // work-groups of the search, at most GROUP
#define GROUPS 256
#endif

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

KERNEL void carrier_partial(GLOBAL const float2* RESTRICT spectrum, GLOBAL float* RESTRICT best_power, GLOBAL uint* RESTRICT best_index,
                            uint width, uint height, float exclude) {
    LOCAL_ARRAY(float, power, GROUP);
    LOCAL_ARRAY(uint, index, GROUP);
    const uint item = get_local_id(0);
    float mine = -1.0f;
    uint where = 0xffffffffu;
    const uint count = width * height;
    for (uint i = get_group_id(0) * GROUP + item; i < count; i += GROUP * GROUPS) {
        const int x = signed_index(i % width, width), y = signed_index(i / width, height);
        if (!(y < 0 || (y == 0 && x < 0))) continue;
        if ((float)(x * x + y * y) <= exclude * exclude) continue;
        const int u = (int)(i % width), v = (int)(i / width);
        const float p = power_at(spectrum, u, v, (int)width, (int)height);
        if (p <= mine) continue;
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

KERNEL void carrier_final(GLOBAL const float* RESTRICT best_power, GLOBAL const uint* RESTRICT best_index, GLOBAL float* RESTRICT carrier,
                          uint width, uint height) {
    LOCAL_ARRAY(float, power, GROUP);
    LOCAL_ARRAY(uint, index, GROUP);
    const uint item = get_local_id(0);
    power[item] = item < GROUPS ? best_power[item] : -1.0f;
    index[item] = item < GROUPS ? best_index[item] : 0xffffffffu;
    BARRIER_LOCAL();
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        if (item < step) keep_stronger(power, index, item, item + step);
        BARRIER_LOCAL();
    }
    if (item == 0) {
        const bool found = index[0] != 0xffffffffu;
        const float x = found ? (float)signed_index(index[0] % width, width) : 0.0f;
        const float y = found ? (float)signed_index(index[0] / width, height) : 0.0f;
        carrier[0] = x;
        carrier[1] = y;
        carrier[2] = sqrt(fma(x, x, y * y)) / 3.0f;
    }
}

// carrier in pixels of the unpadded spectrum (width x height); spectrum and out are padded.
KERNEL void isolate(GLOBAL const float2* RESTRICT spectrum, GLOBAL float2* RESTRICT out, GLOBAL const float* RESTRICT carrier, uint width,
                    uint height, uint padded_width, uint padded_height) {
    const uint i = get_global_id(0), j = get_global_id(1);
    if (i >= padded_width) return;
    const float zoom_x = (float)padded_width / (float)width, zoom_y = (float)padded_height / (float)height;
    const int shift_x = (int)round(carrier[0] * zoom_x), shift_y = (int)round(carrier[1] * zoom_y);
    const int x = signed_index(i, padded_width), y = signed_index(j, padded_height);
    const float rx = (float)x / zoom_x, ry = (float)y / zoom_y;
    float2 value = make_float2(0.0f, 0.0f);
    if (fma(rx, rx, ry * ry) <= carrier[2] * carrier[2]) {
        const uint from_x = (uint)((x + shift_x) % (int)padded_width + (int)padded_width) % padded_width;
        const uint from_y = (uint)((y + shift_y) % (int)padded_height + (int)padded_height) % padded_height;
        value = spectrum[(ulong64)from_y * padded_width + from_x];
    }
    out[(ulong64)j * padded_width + i] = value;
}
