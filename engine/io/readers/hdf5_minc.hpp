// MINC 2: an HDF5 file with one image, its axes by name, and slices each scaled by two numbers of its own.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <vector>

#include "io/readers/hdf5_parts.hpp"
#include "io/readers/serve.hpp"

namespace parallax::io::readers {

inline constexpr const char* minc_image = "/minc-2.0/image/0/image";

/// Says the order of its axes and where they lie; how many of them, in front, are pages.
std::size_t describe_minc(hid_t file, hid_t dataset, const std::vector<hsize_t>& sizes, Json& said);

/// Stored numbers between two ends stand for real ones between two others, slice by slice. Beyond them they stand for none, as MINC
/// has it ("missing or uninitialized"), and are NaN.
class MincScales {
public:
    MincScales() = default;   ///< real numbers, which are not scaled
    /// Those of integers of the type. Throws Problem where they are missing.
    MincScales(hid_t file, hid_t dataset, const Type&, const std::vector<hsize_t>& sizes);

    bool none() const noexcept { return low_.empty(); }
    /// What f32, in which they come, does not hold of them, in the words of a warning; empty: nothing.
    const std::string& loss() const noexcept { return loss_; }
    /// `first_element`: which of the image's the first of them is.
    void apply(std::int64_t first_element, std::size_t count, float* values) const;

private:
    std::vector<double> low_, high_, range_;
    std::uint64_t slice_ = 0;   ///< elements
    std::string loss_;
};

}   // namespace parallax::io::readers
