// Descriptions of arrays and host memory for them. Sizes are checked where a description is made, so that the
// arithmetic on its strides afterwards cannot overflow.
#include "parallax/array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "parallax/host/error.hpp"

namespace parallax {
namespace {

struct TypeRow {
    ElementType type;
    std::string_view name;
    std::size_t bytes;
};

constexpr TypeRow type_table[] = {
    {ElementType::boolean, "bool", 1}, {ElementType::u8, "u8", 1},   {ElementType::i8, "i8", 1},   {ElementType::u16, "u16", 2},
    {ElementType::i16, "i16", 2},      {ElementType::u32, "u32", 4}, {ElementType::i32, "i32", 4}, {ElementType::u64, "u64", 8},
    {ElementType::i64, "i64", 8},      {ElementType::f32, "f32", 4}, {ElementType::f64, "f64", 8}, {ElementType::c64, "c64", 8},
    {ElementType::c128, "c128", 16},
};

constexpr std::size_t alignment = 64;

/// Copies a strided array to `to`, advancing it: recursion over the axes, rows without gaps in one piece.
void pack(const std::byte* from, std::byte*& to, std::span<const Axis> axes, std::size_t element) {
    if (axes.empty()) {
        std::memcpy(to, from, element);
        to += element;
        return;
    }
    const Axis& axis = axes.front();
    if (axes.size() == 1 && axis.stride == 1) {
        const std::size_t row = static_cast<std::size_t>(axis.size) * element;
        std::memcpy(to, from, row);
        to += row;
        return;
    }
    for (std::int64_t i = 0; i < axis.size; ++i) {
        pack(from + i * axis.stride * static_cast<std::int64_t>(element), to, axes.subspan(1), element);
    }
}

}  // namespace

std::size_t bytes_of(ElementType type) noexcept { return type_table[static_cast<std::size_t>(type)].bytes; }

std::string_view to_string(ElementType type) noexcept { return type_table[static_cast<std::size_t>(type)].name; }

std::optional<ElementType> element_type_from(std::string_view name) noexcept {
    for (const TypeRow& row : type_table) {
        if (row.name == name) return row.type;
    }
    return std::nullopt;
}

bool is_floating(ElementType type) noexcept { return type == ElementType::f32 || type == ElementType::f64; }

bool is_complex(ElementType type) noexcept { return type == ElementType::c64 || type == ElementType::c128; }

ArrayDesc ArrayDesc::dense(ElementType type, std::span<const Extent> extents) {
    if (static_cast<std::size_t>(type) >= std::size(type_table))
        throw Error(fmt::format("the element type {}, which is none", static_cast<int>(type)));
    ArrayDesc desc;
    desc.type = type;
    desc.axes.resize(extents.size());
    // An axis of length 0 makes an empty array, but the others must still be addressable: they count as given.
    std::int64_t stride = 1;
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(bytes_of(type));
    for (std::size_t i = extents.size(); i-- > 0;) {
        const auto [name, size] = extents[i];
        if (size < 0) throw Error(fmt::format("axis {} has the size {}; sizes are 0 or more", name, size));
        desc.axes[i] = {name, size, stride, name == 't' ? 0.0 : 1.0};
        const std::int64_t factor = size == 0 ? 1 : size;
        if (stride > most / factor) {
            throw Error(fmt::format("an array of {} elements with {} along axis {} and {} behind it passes 2^63 bytes",
                                    parallax::to_string(type), size, name, stride));
        }
        stride *= factor;
    }
    return desc;
}

ArrayDesc ArrayDesc::with_spacing(char axis, double spacing) const {
    ArrayDesc copy = *this;
    for (Axis& a : copy.axes) {
        if (a.name == axis) a.spacing = spacing;
    }
    return copy;
}

ArrayDesc ArrayDesc::with_unit(std::string text) const {
    ArrayDesc copy = *this;
    copy.unit = std::move(text);
    return copy;
}

ArrayDesc ArrayDesc::with_type(ElementType other) const {
    ArrayDesc copy = *this;
    copy.type = other;
    return copy.to_dense();
}

const Axis* ArrayDesc::find(char axis) const noexcept {
    for (const Axis& a : axes) {
        if (a.name == axis) return &a;
    }
    return nullptr;
}

std::int64_t ArrayDesc::size(char axis) const noexcept {
    const Axis* found = find(axis);
    return found ? found->size : 1;
}

std::int64_t ArrayDesc::count() const noexcept {
    std::int64_t n = 1;
    for (const Axis& a : axes) n *= a.size;
    return n;
}

std::size_t ArrayDesc::dense_bytes() const noexcept { return static_cast<std::size_t>(count()) * bytes_of(type); }

bool ArrayDesc::is_dense() const noexcept {
    if (offset != 0) return false;
    std::int64_t stride = 1;
    for (std::size_t i = axes.size(); i-- > 0;) {
        // The stride of an axis with one index is never used.
        if (axes[i].size != 1 && axes[i].stride != stride) return false;
        stride *= axes[i].size == 0 ? 1 : axes[i].size;
    }
    return true;
}

ArrayDesc ArrayDesc::to_dense() const {
    std::vector<Extent> extents;
    for (const Axis& a : axes) extents.push_back({a.name, a.size});
    ArrayDesc result = dense(type, extents);
    for (std::size_t i = 0; i < axes.size(); ++i) result.axes[i].spacing = axes[i].spacing;
    result.unit = unit;
    return result;
}

std::string ArrayDesc::describe() const {
    if (axes.empty()) return fmt::format("{} scalar", parallax::to_string(type));
    std::string sizes, names;
    for (const Axis& a : axes) {
        sizes += fmt::format("{}{}", sizes.empty() ? "" : " x ", a.size);
        names += fmt::format("{}{}", names.empty() ? "" : ", ", a.name);
    }
    return fmt::format("{} {} ({})", parallax::to_string(type), sizes, names);
}

HostArray HostArray::make(const ArrayDesc& desc) {
    HostArray array;
    array.desc = desc.to_dense();
    const std::size_t bytes = std::max<std::size_t>(array.desc.dense_bytes(), 1);
    void* memory = ::operator new[](bytes, std::align_val_t{alignment}, std::nothrow);
    if (!memory) {
        throw Error(fmt::format("there is no host memory for {}: {:.1f} MiB were asked for", desc.describe(),
                                static_cast<double>(bytes) / (1024.0 * 1024.0)));
    }
    array.memory = std::shared_ptr<std::byte[]>(static_cast<std::byte*>(memory),
                                                [](std::byte* p) { ::operator delete[](p, std::align_val_t{alignment}); });
    return array;
}

HostArray HostArray::to_dense() const {
    if (desc.is_dense()) return *this;
    HostArray result = make(desc);
    result.metadata = metadata;
    std::byte* to = result.data();
    if (desc.count() > 0) pack(data(), to, desc.axes, bytes_of(desc.type));
    return result;
}

}  // namespace parallax
