#include "pipeline/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.hpp"

namespace parallax::engine {

std::string orientation_of(const Metadata& metadata) {
    if (!metadata.affine) return {};
    constexpr const char* ends[] = {"LR", "PA", "IS"};
    std::string letters;
    for (std::size_t column = 0; column < 3; ++column) {
        std::size_t nearest = 0;
        const auto at = [&](std::size_t row) { return (*metadata.affine)[row * 4 + column]; };
        for (std::size_t row = 1; row < 3; ++row) {
            if (std::abs(at(row)) > std::abs(at(nearest))) nearest = row;
        }
        letters += ends[nearest][at(nearest) > 0 ? 1 : 0];
    }
    return letters;
}

std::string unlike_pixels(const ArrayDesc& a, const ArrayDesc& b) {
    const auto says = [](const ArrayDesc& desc, const Axis& axis) { return !desc.unit.empty() || axis.spacing != 1; };
    const auto show = [](const ArrayDesc& desc, const Axis& axis) {
        return fmt::format("{:g}{}{}", axis.spacing, desc.unit.empty() ? "" : " ", desc.unit);
    };
    for (const char name : {'x', 'y', 'z'}) {
        const Axis *const p = a.find(name), *const q = b.find(name);
        if (p == nullptr || q == nullptr || !says(a, *p) || !says(b, *q)) continue;
        const double in_a = millimetres(a.unit), in_b = millimetres(b.unit);
        const bool alike = in_a > 0 && in_b > 0 ? std::abs(p->spacing * in_a - q->spacing * in_b) <= 1e-3 * p->spacing * in_a
                                                : a.unit == b.unit && std::abs(p->spacing - q->spacing) <= 1e-3 * p->spacing;
        if (!alike) return fmt::format("their pixels are not alike: {} is {} and {}", name, show(a, *p), show(b, *q));
    }
    return {};
}

std::string unlike_places(const Metadata& a, const Metadata& b, const ArrayDesc& desc) {
    if (!a.affine || !b.affine) return {};
    const std::array<double, 16>&m = *a.affine, &n = *b.affine;
    double farthest = 0, step = 0, size = 0;
    for (int corner = 0; corner < 8; ++corner) {
        double squares = 0;
        for (std::size_t row = 0; row < 3; ++row) {
            double here = m[row * 4 + 3], there = n[row * 4 + 3];
            for (std::size_t column = 0; column < 3; ++column) {
                if ((corner >> column & 1) == 0) continue;
                const auto last = static_cast<double>(desc.size("xyz"[column]) - 1);
                here += m[row * 4 + column] * last;
                there += n[row * 4 + column] * last;
            }
            squares += (here - there) * (here - there);
            size = std::max(size, std::abs(here));
        }
        farthest = std::max(farthest, std::sqrt(squares));
    }
    for (std::size_t i = 0; i < 12; ++i) {
        if (i % 4 != 3) step = std::max(step, std::abs(m[i]));
    }
    // A hundredth of a voxel, or what f32 rounds, in which files keep their numbers, is no other place.
    if (farthest <= 0.01 * step + 1e-5 * size) return {};
    const std::string one = orientation_of(a), other = orientation_of(b);
    return fmt::format("they lie elsewhere: the same voxel is up to {:.4g} mm away{}", farthest,
                       one == other ? "" : fmt::format(", and x, y, z go towards {} and {}", one, other));
}

}   // namespace parallax::engine
