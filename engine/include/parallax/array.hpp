// Arrays as every part of the engine describes them: images, volumes, series, padded frames and borrowed
// memory are all an element type, named axes with sizes and strides, a spacing with its unit, and an offset.
#pragma once

#include "parallax/export.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

/// Element types. Complex numbers are pairs (real, imaginary).
enum class ElementType : std::uint8_t { boolean, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, c64, c128 };

PARALLAX_API std::size_t bytes_of(ElementType) noexcept;
/// "bool", "u8", ..., "f32", "c64" (complex of two f32).
PARALLAX_API std::string_view to_string(ElementType) noexcept;
PARALLAX_API std::optional<ElementType> element_type_from(std::string_view) noexcept;
PARALLAX_API bool is_floating(ElementType) noexcept;   ///< f32, f64
PARALLAX_API bool is_complex(ElementType) noexcept;

/// One axis. Names: c channel, t time or page, z depth or plane, y row, x column; n anything else.
struct Axis {
    char name = 'x';
    std::int64_t size = 0;
    std::int64_t stride = 0;     ///< in elements, from one index to the next
    double spacing = 1.0;        ///< in ArrayDesc::unit; of t in seconds, 0 where no time is said
    bool operator==(const Axis&) const = default;
};

/// Shape and layout of an array. Axes stand slowest first, as in memory and in NumPy: {t, z, y, x}.
///
/// Example: a 640 x 480 image with 1.4 um pixels is
///   ArrayDesc::dense(ElementType::u8, {{'y', 480}, {'x', 640}}).with_spacing('x', 1.4).with_spacing('y', 1.4).with_unit("um")
struct PARALLAX_API ArrayDesc {
    ElementType type = ElementType::f32;
    std::vector<Axis> axes;
    std::string unit;                 ///< of the spacings: "um", "mm", "m", "" (pixels)
    std::int64_t offset = 0;          ///< in elements, from the start of the memory to element 0

    struct Extent { char name; std::int64_t size; };
    static ArrayDesc dense(ElementType, std::span<const Extent>);   ///< spacings of 1, of t none
    static ArrayDesc dense(ElementType type, std::initializer_list<Extent> extents) {
        return dense(type, std::span<const Extent>(extents.begin(), extents.size()));
    }

    ArrayDesc with_spacing(char axis, double spacing) const;
    ArrayDesc with_unit(std::string) const;
    ArrayDesc with_type(ElementType) const;   ///< same shape, dense

    const Axis* find(char axis) const noexcept;
    std::int64_t size(char axis) const noexcept;      ///< 1 where there is no such axis
    std::int64_t count() const noexcept;              ///< number of elements
    std::size_t dense_bytes() const noexcept;         ///< count() * element size
    bool is_dense() const noexcept;                   ///< offset 0, no gaps, axes in order
    ArrayDesc to_dense() const;
    /// "u8 480 x 640 (y, x)" - for messages.
    std::string describe() const;
    bool operator==(const ArrayDesc&) const = default;
};

/// What travels beside the elements and is written back: the NIfTI affine, resolution tags, comments.
struct PARALLAX_API Metadata {
    std::optional<std::array<double, 16>> affine;     ///< row-major 4 x 4, voxel (x, y, z) -> mm
    std::map<std::string, std::string> notes;         ///< e.g. "tiff.description"
    std::vector<std::string> channels;   ///< names of the indices of axis c, or of the one that was chosen; empty: unknown
};

/// An array in host memory; the memory is shared, dense or strided as `desc` says.
struct PARALLAX_API HostArray {
    ArrayDesc desc;
    Metadata metadata;
    std::shared_ptr<std::byte[]> memory;

    /// Dense, uninitialised, aligned to 64 bytes.
    static HostArray make(const ArrayDesc&);
    std::byte* data() const noexcept { return memory.get() + desc.offset * static_cast<std::int64_t>(bytes_of(desc.type)); }
    template <class T> T* as() const noexcept { return reinterpret_cast<T*>(data()); }
    /// Itself if dense, else a dense copy.
    HostArray to_dense() const;
};

}  // namespace parallax
