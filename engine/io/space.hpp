// Where voxels lie: the way of NRRD, MetaImage and DICOM to say it, and our affine.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "io/io.hpp"

namespace parallax::io {

using Vector3 = std::array<double, 3>;

/// Towards left, posterior and superior, in some unit.
struct Space {
    std::array<Vector3, 3> steps{};   ///< from one voxel to the next along x, y and z
    Vector3 origin{};                 ///< of the first voxel
};

double length_of(const Vector3&) noexcept;
/// Of two steps, the third: at a right angle, so long.
Vector3 across(const Vector3&, const Vector3&, double length) noexcept;
/// Whether the steps go along three directions, by a billionth of how long they are: else no voxel has a place of its own.
bool spans(const Space&) noexcept;
/// In mm, towards right, anterior and superior; `unit`: that of the space in mm.
std::array<double, 16> affine_of(const Space&, double unit) noexcept;
Space space_of(const std::array<double, 16>& affine, double unit) noexcept;
/// Puts directions of axes along which no step is taken across the others, where else no voxel would have a place of its own.
/// False where none has even so: the determinant is 0. `unit`: that of the space, in which the array's distances count so much.
bool complete(Space&, const ArrayDesc&, double unit) noexcept;
/// The same of an affine, for all formats: one that no voxel is placed by is taken away. Whether it was.
bool leave_out_flat(const ArrayDesc&, Metadata&) noexcept;
/// What the affine says, or nothing where there is none, where it places no voxel, or where the unit is no length.
/// Of an axis with one index the step is as long as the axis says.
std::optional<Space> space_of(const ArrayDesc&, const Metadata&) noexcept;
/// Whether the steps are as long as the spacing of the axes says, as the affine of an array that has been resized may not be.
bool agrees(const Space&, const ArrayDesc&) noexcept;
/// Whether x and y of the array lie in the plane of the first two directions, at 0 of the third.
bool is_flat(const Space&) noexcept;
/// The array's axes without channels, the fastest first, for formats whose third axis is z and whose fourth is time: what is left
/// out before time is put in with one plane, and so is z where a picture lies anywhere but flat.
std::vector<Axis> volume_axes(const ArrayDesc&, const std::optional<Space>&);

}   // namespace parallax::io
