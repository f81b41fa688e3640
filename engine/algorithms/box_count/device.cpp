#include "algorithms/box_count/device.hpp"

#include <algorithm>
#include <bit>

namespace parallax::engine::box_count {
namespace {

std::uint32_t highest_bit(ElementType type) { return is_signed(type) ? std::uint32_t{1} << (8 * bytes_of(type) - 1) : 0; }

/// As the kernel compares it: signed numbers move up by half their range.
std::uint32_t word_of(double value, ElementType type) {
    if (type == ElementType::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value) + std::int64_t{highest_bit(type)});
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
        .add("IS_FLOAT", spec.type == ElementType::f32)
        .add("FLIP", std::to_string(highest_bit(spec.type)) + "u")
        .add("UP_TO_MAX", open)
        .add("DIMS", spec.dimensions);
    return d;
}

host::Buffer band_buffer(PlanBuilder& builder, const BoxCountSpec& spec) {
    std::vector<std::uint32_t> words;
    for (const Band& b : spec.bands) {
        words.push_back(word_of(b.low, spec.type));
        words.push_back(word_of(b.high, spec.type));
    }
    return builder.constant(words);
}

void record_counts(Execution& x, const Problem& problem, const BoxCountSpec& spec, const host::Buffer& buffer, std::size_t bytes,
                   std::function<std::vector<BoxCounts>(std::span<const std::byte>)> counts_in) {
    const auto record = [p = problem.parameters, spec, counts_in = std::move(counts_in)](std::span<const std::byte> read) {
        return record_of(p.as<BoxCountParameters>(), spec, counts_in(read));
    };
    x.record("counts", buffer, bytes, record);
    if (problem.wants("plot")) x.record("plot", buffer, bytes, [record](std::span<const std::byte> read) { return Json(plot_of(record(read))); });
}

Variant device_variant(std::string name, std::string summary, Role role, std::vector<std::string> kernels, PolicyTable policy) {
    Variant v;
    v.name = std::move(name);
    v.summary = std::move(summary);
    v.role = role;
    v.backends = {host::Backend::opencl, host::Backend::cuda};
    v.kernels = std::move(kernels);
    v.policy = std::move(policy);
    return v;
}

}  // namespace parallax::engine::box_count
