#include "algorithms/hologram/pixels.hpp"

namespace parallax::engine::hologram {
namespace {

template <class T>
bool read(const ArrayDesc& desc, const std::byte* first, Rows rows, double* out) {
    const Axis *y_axis = desc.find('y'), *x_axis = desc.find('x');
    const std::int64_t down = y_axis ? y_axis->stride : 0, right = x_axis ? x_axis->stride : 0, width = desc.size('x');
    const T* from = reinterpret_cast<const T*>(first) + rows.first * down;
    for (std::int64_t y = 0; y < rows.count; ++y)
        for (std::int64_t x = 0; x < width; ++x) *out++ = static_cast<double>(from[y * down + x * right]);
    return true;
}

}  // namespace

bool read_pixels(const ArrayDesc& desc, const std::byte* first, Rows rows, double* out) {
    switch (desc.type) {
        case ElementType::boolean:
        case ElementType::u8: return read<std::uint8_t>(desc, first, rows, out);
        case ElementType::i8: return read<std::int8_t>(desc, first, rows, out);
        case ElementType::u16: return read<std::uint16_t>(desc, first, rows, out);
        case ElementType::i16: return read<std::int16_t>(desc, first, rows, out);
        case ElementType::u32: return read<std::uint32_t>(desc, first, rows, out);
        case ElementType::i32: return read<std::int32_t>(desc, first, rows, out);
        case ElementType::u64: return read<std::uint64_t>(desc, first, rows, out);
        case ElementType::i64: return read<std::int64_t>(desc, first, rows, out);
        case ElementType::f32: return read<float>(desc, first, rows, out);
        case ElementType::f64: return read<double>(desc, first, rows, out);
        case ElementType::c64:
        case ElementType::c128: break;
    }
    return false;
}

}  // namespace parallax::engine::hologram
