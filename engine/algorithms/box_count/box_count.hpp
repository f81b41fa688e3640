// What `box_count` counts, and what it says of the counts.
#pragma once

#include "core/algorithm.hpp"
#include "core/number_fields.hpp"
#include "core/parameters.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::box_count {

enum class Count { occupied, grey, black };
enum class Anisotropy { refuse, ignore, resample };
enum class Origin { corner, bounding_box };

/// Levels m of the fit, both included; -1, -1 stands for "auto".
struct FitRange {
    int from = -1;
    int to = -1;
    bool operator==(const FitRange&) const = default;
};

struct BoxCountParameters {
    Number threshold = 0.0;
    std::vector<Label> labels;
    Count count = Count::occupied;
    std::optional<FitRange> fit;
    Anisotropy anisotropy = Anisotropy::refuse;
    int packed_width = 0;   ///< voxels of a row where a byte holds eight; 0: an element is a voxel
    bool surface = false;
    Origin origin = Origin::corner;
    int offsets = 1;
};

/// Values of a set: low <= v <= high, both double for floats, else integers of 64 bits with a sign where the array's type has
/// one, so that they are exact. low > high: no value.
struct Band {
    Number low, high;
};

/// Everything that decides what is counted.
struct BoxCountSpec {
    std::string port;                       ///< "volume" or "image"
    ElementType type = ElementType::u8;
    int dimensions = 3;
    std::array<std::int64_t, 3> stored{1, 1, 1}; ///< x, y, z: voxels of the array
    std::array<std::int64_t, 3> size{1, 1, 1};   ///< the same, or resampled
    std::array<double, 3> step{1, 1, 1};         ///< voxels of the array from one that is counted to the next
    std::array<double, 3> spacing{1, 1, 1};      ///< of those that are counted
    bool packed = false;                         ///< the array's bytes hold eight voxels each
    bool surface = false;
    Origin origin = Origin::corner;
    int offsets = 1;
    bool extents = false;                        ///< the box around each set is asked for, too
    std::string unit;
    int top = 0;                            ///< k: the grid has 2^k voxels a side
    std::vector<Band> bands;                ///< of the threshold, or one a label
    std::array<std::int64_t, 3> lead{0, 0, 0}; ///< x, y, z: voxels of the grid that precede the first; for Counting alone

    std::int64_t voxels() const noexcept { return size[0] * size[1] * size[2]; }
    /// Bytes of a row of the array, where it is packed.
    std::int64_t pitch() const noexcept { return (stored[0] + 7) / 8; }
    /// The array's own voxels, the grid where it begins: nothing has to be prepared.
    bool as_it_is() const noexcept {
        return size == stored && !surface && origin == Origin::corner && offsets == 1 && (!packed || stored[0] % 8 == 0);
    }
    /// Where each grid lies, x fastest: that many voxels of it precede the first voxel that is counted. The first by none.
    std::vector<std::array<std::int64_t, 3>> shifts() const;
    /// Voxels that tiles of so many a side have to cover, in whichever grid: whole tiles that precede them all are left out.
    std::array<std::int64_t, 3> covered_size(int tile) const;
    /// Of each axis: the voxel of the array that each resampled one is.
    std::array<std::vector<std::uint32_t>, 3> samples() const;
};

/// Boxes of one level: with any voxel set, and with all.
struct Boxes {
    std::uint64_t any = 0;
    std::uint64_t all = 0;
    bool operator==(const Boxes&) const = default;
};
/// By m from 0 to k.
using BoxCounts = std::vector<Boxes>;
/// Voxels along x, y and z of the box around a set; 0 where it is empty, and 1 along z in an image.
using Extent = std::array<std::int64_t, 3>;

struct Counted {
    std::vector<BoxCounts> counts;   ///< of each band in each grid, grids fastest
    std::vector<Extent> extents;     ///< of each band; empty where they are not asked for
};

ParameterTable box_count_table();
/// Throws ConfigError at the input or parameter that is wrong.
BoxCountSpec spec_of(const Problem&);
bool is_signed(ElementType) noexcept;

/// Record `counts`.
Json record_of(const BoxCountParameters&, const BoxCountSpec&, const Counted&);

/// What "fit": "auto" chooses: neighbouring levels in which N falls as a power of the edge and no box is full. Both -1: there are
/// none.
struct AutoFit {
    int from = -1, to = -1;
    double change = 0;               ///< by how much the slope differs from end to end
    double cover = 0;                ///< the largest share of the boxes around the set that are counted
    bool stable = false;             ///< the change is small enough to speak of one slope
    bool fills = false;              ///< it fills the box around it at every size
};
AutoFit auto_fit(const std::vector<std::uint64_t>& numbers, int dimensions, const Extent&);

/// The same as a picture: SVG of the numbers of boxes by edge and the line through them.
std::string plot_of(const Json& record);

/// Counts of the voxels of a plain array; of any.
using Counting = std::vector<BoxCounts> (*)(const BoxCountSpec&, const std::byte* voxels, int threads);
Counted counts_of(const BoxCountSpec&, const std::byte* voxels, Counting, int threads);

// Both for specs that are as_it_is() and not packed, in the grid that `lead` says. threads: 0 for all of the processor's.
/// A pyramid of two bits (any, all) a box.
std::vector<BoxCounts> pyramid_counts(const BoxCountSpec&, const std::byte* voxels, int threads);
/// Hou's method: numbers whose bits are those of the coordinates in turn, sorted; boxes are runs of equal leading bits.
std::vector<BoxCounts> hou_counts(const BoxCountSpec&, const std::byte* voxels, int threads);

Variant simd_variant();
Variant pyramid_variant();
Variant hou_variant();
Variant threaded_variant();
Variant hou_threaded_variant();
Variant hou_serial_variant();
Variant reference_variant();

}  // namespace parallax::engine::box_count
