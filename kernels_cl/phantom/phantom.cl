// Shapes whose box counts are known, one work-item a voxel, from its coordinates in integers alone: every device has the
// same voxels. engine/algorithms/phantom/reference.cpp says the same in C++.
#include "prelude/prelude.clh"
#include "noise/normal.clh"

#define KIND_MENGER 0
#define KIND_CUBE 1
#define KIND_CARPET 2
#define KIND_TRIANGLE 3
#define KIND_TETRAHEDRON 4
#define KIND_CANTOR 5
#define KIND_RANDOM 6
#define KIND_VESSEL_TREE 7

typedef struct {
    int from[3], to[3];   // x, y, z
    int radius_squared;
    int length_squared;   // of to - from
} Vessel;

// The largest number of the coordinates that have the ternary digit 1 in one place.
INLINE uint most_middle_digits(uint x, uint y, uint z) {
    uint most = 0;
    for (; (x | y | z) != 0; x /= 3, y /= 3, z /= 3) {
        const uint here = (uint)(x % 3 == 1) + (uint)(y % 3 == 1) + (uint)(z % 3 == 1);
        most = max(most, here);
    }
    return most;
}

INLINE uint in_vessel(Vessel v, int x, int y, int z) {
    const int ax = x - v.from[0], ay = y - v.from[1], az = z - v.from[2];
    const int bx = x - v.to[0], by = y - v.to[1], bz = z - v.to[2];
    const int near = ax * ax + ay * ay + az * az;
    const int along = ax * (v.to[0] - v.from[0]) + ay * (v.to[1] - v.from[1]) + az * (v.to[2] - v.from[2]);
    if (along <= 0) return near <= v.radius_squared;
    if (along >= v.length_squared) return bx * bx + by * by + bz * bz <= v.radius_squared;
    return (long64)near * v.length_squared - (long64)along * along <= (long64)v.radius_squared * v.length_squared;
}

KERNEL void phantom(GLOBAL uchar* RESTRICT volume, GLOBAL const Vessel* RESTRICT vessels, uint kind, uint vessel_count, uint side,
                    ulong64 count, ulong64 seed, ulong64 threshold) {
    for (ulong64 i = get_global_id(0); i < count; i += get_global_size(0)) {
        const uint x = (uint)(i % side), y = (uint)(i / side % side), z = (uint)(i / side / side);
        uint set = 0;
        switch (kind) {
        case KIND_MENGER:
        case KIND_CARPET: set = most_middle_digits(x, y, z) < 2; break;
        case KIND_CUBE: set = 1; break;
        case KIND_TRIANGLE: set = (x & y) == 0; break;
        case KIND_TETRAHEDRON: set = ((x & y) | (x & z) | (y & z)) == 0; break;
        case KIND_CANTOR: set = most_middle_digits(x, y, z) == 0; break;
        case KIND_RANDOM: set = splitmix64(i + (seed << 34)) >> 11 < threshold; break;
        default:   // KIND_VESSEL_TREE
            for (uint k = 0; k < vessel_count && set == 0; ++k) set = in_vessel(vessels[k], (int)x, (int)y, (int)z);
        }
        volume[i] = set != 0 ? 255 : 0;
    }
}
