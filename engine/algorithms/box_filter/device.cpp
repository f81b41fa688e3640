#include "algorithms/box_filter/device.hpp"
#include "core/integers.hpp"

namespace parallax::engine::box_filter {

std::string element_name(const BoxSpec& spec) {
    return spec.is_float() ? "float" : spec.type == ElementType::u8 ? "uchar" : "ushort";
}
std::string sum_name(const BoxSpec& spec) { return spec.is_float() ? "float" : spec.is_wide() ? "ulong64" : "uint"; }
std::size_t sum_bytes(const BoxSpec& spec) noexcept { return spec.is_wide() ? 8 : 4; }

host::Defines defines_of(const BoxSpec& spec, bool first, bool last) {
    host::Defines d;
    d.add("IN", first ? element_name(spec) : sum_name(spec))
        .add("SUM", sum_name(spec))
        .add("OUT", last ? element_name(spec) : sum_name(spec))
        .add("FLOATS", spec.is_float())
        .add("MEAN", last);
    if (spec.is_wide()) d.flag("WIDE");
    return d;
}

host::Arg element_argument(const BoxSpec& spec) {
    if (spec.type == ElementType::u8) return static_cast<std::uint8_t>(spec.fill());
    if (spec.type == ElementType::u16) return static_cast<std::uint16_t>(spec.fill());
    return static_cast<float>(spec.fill());
}

host::Arg border_argument(const BoxSpec& spec) { return static_cast<std::int32_t>(spec.border); }

host::Arg fill_argument(const BoxSpec& spec, std::int64_t taps) {
    if (spec.is_float()) return static_cast<float>(spec.fill() * static_cast<double>(taps));
    const std::uint64_t sum = static_cast<std::uint64_t>(spec.fill()) * static_cast<std::uint64_t>(taps);
    if (spec.is_wide()) return sum;
    return static_cast<std::uint32_t>(sum);
}

host::Arg divisor_argument(const BoxSpec& spec) {
    if (spec.is_float()) return static_cast<float>(1.0 / static_cast<double>(spec.taps()));
    if (spec.is_wide()) return static_cast<std::uint64_t>(spec.taps());
    return static_cast<std::uint32_t>(spec.taps());
}


}  // namespace parallax::engine::box_filter
