#include "core/carry.hpp"

#include <array>

namespace parallax::engine {

namespace {

/// The origin, as many voxels further along x, y and z.
void move_origin(Metadata& metadata, const std::array<double, 3>& voxels) {
    if (!metadata.affine) return;
    auto& m = *metadata.affine;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column) m[row * 4 + 3] += m[row * 4 + column] * voxels[column];
}

}  // namespace

Metadata carry(const std::string& algorithm, const Parameters& parameters, const ArrayDesc& input, Metadata metadata) {
    if (!metadata.affine) return metadata;
    if (algorithm == "crop") {
        const Json box = parameters.to_json();
        std::array<double, 3> first{};
        for (std::size_t i = 0; i < 3; ++i) {
            const auto range = box.find(std::string(1, "xyz"[i]));
            if (range != box.end() && range->is_array() && !range->empty()) first[i] = range->front().get<double>();
        }
        move_origin(metadata, first);
    } else if (algorithm == "select") {
        const Json what = parameters.to_json();
        const std::string axis = what.at("axis").get<std::string>();
        const auto index = what.at("index").get<std::int64_t>();
        if (axis == "z") move_origin(metadata, {0, 0, static_cast<double>(index < 0 ? index + input.size('z') : index)});
        if (axis == "x" || axis == "y") metadata.affine.reset();   // what is left lies across the affine's columns
    } else if (algorithm == "fft") {
        metadata.affine.reset();
    }
    return metadata;
}

}  // namespace parallax::engine
