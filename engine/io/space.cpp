#include "io/space.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "io/decimal.hpp"
#include "io/units.hpp"

namespace parallax::io {
namespace {

constexpr Vector3 towards = {-1, -1, 1};   ///< left and posterior are right and anterior, the other way

}   // namespace

double length_of(const Vector3& v) noexcept { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

Vector3 across(const Vector3& a, const Vector3& b, double length) noexcept {
    Vector3 c = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const double now = length_of(c);
    if (!(now > 0)) return {0, 0, length};
    for (double& part : c) part = part * length / now + 0.0;
    return c;
}

bool spans(const Space& space) noexcept {
    std::array<Vector3, 3> one{};   // of length 1: a volume of very long ones is no number
    for (std::size_t i = 0; i < 3; ++i) {
        const Vector3& step = space.steps[i];
        const double length = std::hypot(step[0], step[1], step[2]);
        for (std::size_t row = 0; row < 3 && length > 0; ++row) one[i][row] = step[row] / length;
    }
    const auto& [a, b, c] = one;
    const double volume =
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    return std::abs(volume) > 1e-9;
}

bool complete(Space& space, const ArrayDesc& desc, double unit) noexcept {
    const auto without_length = [](const Vector3& step) { return !(length_of(step) > 0); };
    if (std::count_if(space.steps.begin(), space.steps.end(), without_length) > 1) return false;   // which way is not said
    for (std::size_t i = 3; i-- > 0 && !spans(space);) {
        const Axis* const axis = desc.find("xyz"[i]);
        if (axis && axis->size > 1) continue;
        const double length = length_of(space.steps[i]), thickness = (axis ? axis->spacing : 1) * unit;
        Space other = space;
        other.steps[i] = across(space.steps[(i + 1) % 3], space.steps[(i + 2) % 3], length > 0 ? length : thickness);
        if (spans(other)) space = other;
    }
    return spans(space);
}

bool leave_out_flat(const ArrayDesc& desc, Metadata& metadata) noexcept {
    if (!metadata.affine) return false;
    Space space = space_of(*metadata.affine, 1);
    if (spans(space)) return false;
    const double mm = desc.unit.empty() ? 1 : millimetres(desc.unit);
    if (complete(space, desc, mm > 0 ? mm : 1)) metadata.affine = affine_of(space, 1);
    else metadata.affine.reset();
    return !metadata.affine;
}

std::array<double, 16> affine_of(const Space& space, double unit) noexcept {
    std::array<double, 16> m{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column)
            m[row * 4 + column] = scaled(space.steps[column][row] * towards[row], unit) + 0.0;
        m[row * 4 + 3] = scaled(space.origin[row] * towards[row], unit) + 0.0;
    }
    m[15] = 1;
    return m;
}

Space space_of(const std::array<double, 16>& m, double unit) noexcept {
    Space space;
    for (std::size_t row = 0; row < 3; ++row) {
        // + 0: no negative zeros in files that people read.
        for (std::size_t column = 0; column < 3; ++column)
            space.steps[column][row] = divided(m[row * 4 + column] * towards[row], unit) + 0.0;
        space.origin[row] = divided(m[row * 4 + 3] * towards[row], unit) + 0.0;
    }
    return space;
}

std::optional<Space> space_of(const ArrayDesc& desc, const Metadata& metadata) noexcept {
    const double unit = desc.unit.empty() ? 1 : millimetres(desc.unit);
    if (!metadata.affine || !(unit > 0)) return std::nullopt;
    Space space = space_of(*metadata.affine, unit);
    if (!complete(space, desc, 1)) return std::nullopt;
    // No step is taken along an axis of one index: it is as long as the axis says that a plane is thick.
    for (std::size_t i = 0; i < 3; ++i) {
        const Axis* const axis = desc.find("xyz"[i]);
        if (!axis || axis->size > 1) continue;
        const double length = length_of(space.steps[i]), thickness = axis->spacing;
        if (std::abs(length - thickness) > 1e-4 * thickness)
            for (double& part : space.steps[i]) part *= thickness / length;
    }
    return space;
}

bool agrees(const Space& space, const ArrayDesc& desc) noexcept {
    for (std::size_t i = 0; i < 3; ++i) {
        const Axis* const axis = desc.find("xyz"[i]);
        if (axis && std::abs(length_of(space.steps[i]) - axis->spacing) > 1e-4 * axis->spacing) return false;
    }
    return true;
}

bool is_flat(const Space& space) noexcept {
    const double least = 1e-6 * (length_of(space.steps[0]) + length_of(space.steps[1]));
    return std::abs(space.steps[0][2]) <= least && std::abs(space.steps[1][2]) <= least && std::abs(space.origin[2]) <= least;
}

std::vector<Axis> volume_axes(const ArrayDesc& desc, const std::optional<Space>& space) {
    std::vector<Axis> axes;
    const auto fill = [&](std::size_t count) {
        while (axes.size() < count) {
            Axis plane{"xyz"[axes.size()], 1, 0, 1};
            if (space) plane.spacing = as_decimal(length_of(space->steps[axes.size()]));
            axes.push_back(plane);
        }
    };
    for (std::size_t i = desc.axes.size(); i-- > 0;) {
        if (desc.axes[i].name == 'c') continue;
        const std::size_t place = std::string_view("xyzt").find(desc.axes[i].name);
        if (place != std::string_view::npos) fill(place);
        axes.push_back(desc.axes[i]);
    }
    const bool picture = axes.size() == 2 && axes[0].name == 'x' && axes[1].name == 'y';
    if (picture && space && !is_flat(*space)) fill(3);
    return axes;
}

}   // namespace parallax::io
