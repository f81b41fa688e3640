// `phantom`: shapes whose box counts and dimensions are known.
#pragma once

#include "core/algorithm.hpp"
#include "core/parameters.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace parallax::engine::phantom {

/// Numbers are those of `kind` in phantom.cl.
enum class Kind { menger, cube, carpet, triangle, tetrahedron, cantor, random, vessel_tree };

struct PhantomParameters {
    Kind kind = Kind::menger;
    int size = 243;
    double density = 0.5;
    int seed = 1;
};

inline constexpr int most_voxels_a_side = 2048;
inline constexpr std::uint8_t set_voxel = 255;

/// A tube with round ends, in voxels; as the kernel reads it.
struct Vessel {
    std::array<std::int32_t, 3> from{}, to{};   ///< x, y, z
    std::int32_t radius_squared = 0;
    std::int32_t length_squared = 0;            ///< of to - from
};

ParameterTable phantom_table();
bool is_flat(Kind) noexcept;                    ///< carpet and triangle are images
/// random: a voxel is set where a number of 53 bits is below this.
std::uint64_t density_threshold(const PhantomParameters&);
/// A tree of 127 vessels that halves its flow at every fork (Murray's law: r^3 = r1^3 + r2^3); empty for other kinds.
std::vector<Vessel> vessels_of(const PhantomParameters&);
/// Whether voxel (x, y, z) of the shape is set.
bool is_set(const PhantomParameters&, const std::vector<Vessel>&, std::int64_t x, std::int64_t y, std::int64_t z);

Variant device_variant();
Variant reference_variant();

}  // namespace parallax::engine::phantom
