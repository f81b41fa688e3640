#include "algorithms/box_count/device.hpp"
#include "algorithms/box_count/typed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace parallax::engine::box_count {
namespace {

std::uint64_t highest_bit(ElementType type) { return is_signed(type) ? std::uint64_t{1} << (8 * bytes_of(type) - 1) : 0; }

/// As the kernel compares it: signed numbers move up by half their range.
std::uint32_t word_of(const Number& value, ElementType type) {
    if (type == ElementType::f32) return std::bit_cast<std::uint32_t>(value_as<float>(value));
    return static_cast<std::uint32_t>(value_as<std::int64_t>(value) + static_cast<std::int64_t>(highest_bit(type)));
}

/// The same for 64 bits; floats as integers in their order, so that devices without f64 compare them too.
std::uint64_t long_of(const Number& value, ElementType type, double zero) {
    if (type == ElementType::u64) return value_as<std::uint64_t>(value);
    if (type == ElementType::i64) return static_cast<std::uint64_t>(value_as<std::int64_t>(value)) ^ highest_bit(type);
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    const auto real = value_as<double>(value);
    const auto bits = std::bit_cast<std::uint64_t>(real == 0 ? zero : real);   // -0 and 0 are equal, and a band has both
    return bits & sign ? ~bits : bits | sign;
}

/// Bytes alone: there a comparison saved is time saved.
bool reaches_max(const Band& band, ElementType type) {
    return bytes_of(type) == 1 && band.low <= band.high && word_of(band.high, type) == 255;
}

}  // namespace

host::Defines voxel_defines(const BoxCountSpec& spec) {
    const bool open = std::all_of(spec.bands.begin(), spec.bands.end(), [&](const Band& b) { return reaches_max(b, spec.type); });
    host::Defines d;
    d.add("ELEMENT_BYTES", static_cast<std::int64_t>(bytes_of(spec.type)))
        .add("IS_FLOAT", is_floating(spec.type))
        .add("FLIP", fmt::format("{:#x}u", highest_bit(spec.type)))
        .add("UP_TO_MAX", open)
        .add("PACKED", spec.packed)
        .add("DIMS", spec.dimensions);
    return d;
}

host::Buffer band_buffer(PlanBuilder& builder, const BoxCountSpec& spec) {
    if (bytes_of(spec.type) == 8) {
        std::vector<std::uint64_t> words;
        for (const Band& b : spec.bands) {
            words.push_back(long_of(b.low, spec.type, -0.0));
            words.push_back(long_of(b.high, spec.type, 0.0));
        }
        return builder.constant(words);
    }
    std::vector<std::uint32_t> words;
    for (const Band& b : spec.bands) {
        words.push_back(word_of(b.low, spec.type));
        words.push_back(word_of(b.high, spec.type));
    }
    return builder.constant(words);
}

void record_counts(Execution& x, const Problem& problem, const BoxCountSpec& spec, const host::Buffer& buffer, std::size_t bytes,
                   std::function<Counted(std::span<const std::byte>)> counts_in) {
    const auto record = [p = problem.parameters, spec, counts_in = std::move(counts_in)](std::span<const std::byte> read) {
        return record_of(p.as<BoxCountParameters>(), spec, counts_in(read));
    };
    x.record("counts", buffer, bytes, record);
    if (problem.wants("plot"))
        x.record("plot", buffer, bytes, [record](std::span<const std::byte> read) { return Json(plot_of(record(read))); });
}

}  // namespace parallax::engine::box_count
