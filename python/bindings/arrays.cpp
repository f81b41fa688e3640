#include "arrays.hpp"

#include <complex>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

namespace parallax::python {
namespace {

ElementType element_type(nb::dlpack::dtype type) {
    using Code = nb::dlpack::dtype_code;
    const auto code = static_cast<Code>(type.code);
    const auto pick = [&](std::initializer_list<std::pair<int, ElementType>> choices) -> std::optional<ElementType> {
        for (const auto& [bits, element] : choices) {
            if (bits == type.bits && type.lanes == 1) return element;
        }
        return std::nullopt;
    };
    std::optional<ElementType> found;
    if (code == Code::Bool) found = pick({{8, ElementType::boolean}});
    if (code == Code::UInt)
        found = pick({{8, ElementType::u8}, {16, ElementType::u16}, {32, ElementType::u32}, {64, ElementType::u64}});
    if (code == Code::Int)
        found = pick({{8, ElementType::i8}, {16, ElementType::i16}, {32, ElementType::i32}, {64, ElementType::i64}});
    if (code == Code::Float) found = pick({{32, ElementType::f32}, {64, ElementType::f64}});
    if (code == Code::Complex) found = pick({{64, ElementType::c64}, {128, ElementType::c128}});
    if (!found)
        throw ConfigError("", "elements of " + std::to_string(type.bits) + " bits of another kind",
                          "bool, integers of 8 to 64 bits, float32, float64, complex64 or complex128");
    return *found;
}

}   // namespace

nb::dlpack::dtype dtype_of(ElementType type) {
    switch (type) {
        case ElementType::boolean: return nb::dtype<bool>();
        case ElementType::u8: return nb::dtype<std::uint8_t>();
        case ElementType::i8: return nb::dtype<std::int8_t>();
        case ElementType::u16: return nb::dtype<std::uint16_t>();
        case ElementType::i16: return nb::dtype<std::int16_t>();
        case ElementType::u32: return nb::dtype<std::uint32_t>();
        case ElementType::i32: return nb::dtype<std::int32_t>();
        case ElementType::u64: return nb::dtype<std::uint64_t>();
        case ElementType::i64: return nb::dtype<std::int64_t>();
        case ElementType::f32: return nb::dtype<float>();
        case ElementType::f64: return nb::dtype<double>();
        case ElementType::c64: return nb::dtype<std::complex<float>>();
        case ElementType::c128: return nb::dtype<std::complex<double>>();
    }
    throw Error("an element type that Python does not know");
}

ArrayDesc desc_of(ElementType type, const std::vector<std::int64_t>& shape, const std::string& axes,
                  const std::vector<double>& spacing, const std::string& unit) {
    if (axes.size() != shape.size())
        throw ConfigError("", "axes \"" + axes + "\" for " + std::to_string(shape.size()) + " dimensions",
                          "a letter for each dimension, slowest first: \"yx\", \"zyx\", \"yxc\"");
    if (!spacing.empty() && spacing.size() != shape.size())
        throw ConfigError("", std::to_string(spacing.size()) + " spacings", "one for each axis");
    std::vector<ArrayDesc::Extent> extents;
    for (std::size_t i = 0; i < shape.size(); ++i) extents.push_back({axes[i], shape[i]});
    ArrayDesc desc = ArrayDesc::dense(type, extents);
    for (std::size_t i = 0; i < spacing.size(); ++i) desc.axes[i].spacing = spacing[i];
    desc.unit = unit;
    return desc;
}

ArrayDesc desc_of(const AnyArray& array, const std::string& axes, const std::vector<double>& spacing, const std::string& unit) {
    std::vector<std::int64_t> shape;
    for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(static_cast<std::int64_t>(array.shape(i)));
    ArrayDesc desc = desc_of(element_type(array.dtype()), shape, axes, spacing, unit);
    for (std::size_t i = 0; i < array.ndim(); ++i)   // one element is no step away from anything, whatever is said of the step
        if (array.shape(i) > 1) desc.axes[i].stride = array.stride(i);
    return desc;
}

ElementType type_from(const std::string& name) {
    const auto type = element_type_from(name);
    if (!type) throw ConfigError("", "the element type \"" + name + "\"", "u8, i16, f32, c64 and the like");
    return *type;
}

nb::ndarray<nb::numpy> to_numpy(HostArray host) {
    std::vector<std::size_t> shape;
    for (const Axis& axis : host.desc.axes) shape.push_back(static_cast<std::size_t>(axis.size));
    auto held = std::make_unique<HostArray>(std::move(host));
    void* const data = held->data();
    const ElementType type = held->desc.type;
    nb::capsule owner(held.get(), [](void* p) noexcept { delete static_cast<HostArray*>(p); });
    held.release();
    return {data, shape.size(), shape.data(), owner, nullptr, dtype_of(type), nb::device::cpu::value, 0};
}

}   // namespace parallax::python
