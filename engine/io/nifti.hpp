// The fields of a NIfTI-1 or NIfTI-2 header that matter here, in the widest type of the two, and its codes of types and units.
#pragma once

#include "parallax/array.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace parallax::io::nifti {

struct TypeRow {
    int code;
    ElementType type;
    int channels;
};
inline constexpr TypeRow type_table[] = {
    {2, ElementType::u8, 1},    {256, ElementType::i8, 1},  {512, ElementType::u16, 1},  {4, ElementType::i16, 1},
    {768, ElementType::u32, 1}, {8, ElementType::i32, 1},   {1280, ElementType::u64, 1}, {1024, ElementType::i64, 1},
    {16, ElementType::f32, 1},  {64, ElementType::f64, 1},  {32, ElementType::c64, 1},   {1792, ElementType::c128, 1},
    {128, ElementType::u8, 3},  {2304, ElementType::u8, 4},
};

struct Unit {
    int code;
    const char* name;
    double in_mm;
};
inline constexpr Unit units[] = {{1, "m", 1000}, {2, "mm", 1}, {3, "um", 1e-3}};

/// How thick a single slice is, which is no axis here: "3.5 mm".
inline constexpr const char* thickness_note = "nifti.thickness";

inline constexpr std::size_t header_bytes_1 = 348, header_bytes_2 = 540;

struct Header {
    int version = 1;
    bool swap = false;  ///< its byte order is not this machine's
    int datatype = 0;
    int bits = 0;                       ///< of an element, all its channels; 0: not said
    std::array<std::int64_t, 8> dim{};  ///< [0] how many
    std::array<double, 8> pixdim{};     ///< [0] the handedness of the quaternion
    double vox_offset = 0, slope = 0, inter = 0;
    int xyzt_units = 0;
    int qform_code = 0, sform_code = 0;
    std::array<double, 3> quaternion{}, offset{};
    std::array<double, 12> srow{};
    std::array<double, 3> intent_numbers{};
    int intent = 0;                     ///< what the values are: statistics, labels, vectors
    std::string description, intent_name;
    std::array<char, 4> magic{};
};

/// `bytes` holds at least header_bytes_1, or header_bytes_2 where `version` is 2.
Header parse(std::span<const unsigned char> bytes, int version, bool swap);
/// In this machine's byte order, with the four bytes behind it that say that there are no extensions.
std::string compose(const Header&);
/// Whether the quaternion form turns at all: numbers, and no longer than 1 but for how f32 rounds.
bool turns(const Header&);
/// Row-major 4 x 4 of the quaternion form: rotation, voxel sizes and offset.
std::array<double, 16> matrix_of_quaternion(const Header&);
/// The other way round, in the units of the header: false where voxels are skewed, or pixdim are not their sizes; then nothing is
/// set.
bool set_quaternion(Header&, const std::array<double, 16>& matrix);

}  // namespace parallax::io::nifti
