#include "io/readers/hdf5_minc.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/decimal.hpp"
#include "io/readers/hdf5_lzf.hpp"
#include "io/readers/hdf5_packed.hpp"
#include "io/readers/hdf5_slabs.hpp"
#include "io/readers/hdf5_units.hpp"
#include "io/scale_loss.hpp"
#include "io/unit_names.hpp"

namespace parallax::io::readers {
namespace {

constexpr std::uint64_t most_slices = 1 << 20;

std::uint64_t product(const std::vector<hsize_t>& sizes) {
    std::uint64_t count = 1;
    for (const hsize_t size : sizes) count = size > 0 && count <= most_slices / size ? count * size : 0;
    return count;
}

/// A number for each index of the image's first axes, or one for all; empty: there are none, or they are of other sizes.
std::vector<double> of_slices(hid_t file, const char* path, const std::vector<hsize_t>& image) {
    const Handle data = open_dataset(file, path);
    if (!data.good() || is_elsewhere(data)) return {};
    const std::vector<hsize_t> sizes = sizes_of(data);
    const std::uint64_t count = product(sizes);
    const bool fit = sizes.size() <= image.size() && std::equal(sizes.begin(), sizes.end(), image.begin());
    if (count == 0 || product(chunk_of(data)) == 0 || (!fit && count != 1)) return {};
    std::vector<double> values(static_cast<std::size_t>(count));
    expect_lzf(data);
    PackedChunks(data, path).check();
    if (H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return {};
    return values;
}

/// An axis as its own dataset tells of it.
struct MincAxis {
    char name = '?';
    bool is_space = false;
    bool told = false;                ///< it says a step
    bool odd = false;                 ///< it says something else than a step
    bool placed = false;              ///< where it lies is known
    double step = 1, start = 0;       ///< in mm, or in seconds
    std::array<double, 3> direction{};
};

/// One number of a step or a start, `otherwise` where it has none of that name, and NaN where that is something else.
double number_at(hid_t axis, const char* name, double otherwise) {
    if (H5Aexists(axis, name) <= 0) return otherwise;
    const std::vector<double> numbers = numbers_at(axis, name);
    return numbers.size() == 1 && std::isfinite(numbers[0]) ? numbers[0] : NAN;
}

void measure(hid_t data, const std::string& dimension, MincAxis& axis, Json& warnings) {
    std::string unit = text_at(data, "units");
    unit.erase(unit.find_last_not_of(' ') + 1);
    const double factor = axis.name == 't' ? seconds_of(unit) : unit.empty() ? 1 : millimetres_in(unit);
    const double step = number_at(data, "step", 1), start = number_at(data, "start", 0);
    const std::string why = text_at(data, "spacing") == "irregular" ? "is not evenly spaced (irregular)"
                            : factor == 0 ? "is in \"" + unit.substr(0, 40) + "\", a unit that is not known"
                            : !(std::abs(step) > 0) ? "has a step that is no distance"
                                                    : "";
    axis.odd = !why.empty();
    if (axis.odd) {
        const char* const then = axis.is_space ? ": its distance is left out, and so is where it lies" : ": its time is left out";
        warnings.push_back({{"text", "its axis " + dimension + " " + why + then},
                            {"about", axis.is_space ? "spacing" : "other"}});
        return;
    }
    axis.told = H5Aexists(data, "step") > 0;
    axis.step = scaled(step, factor);
    axis.placed = !std::isnan(start);
    axis.start = axis.placed ? scaled(start, factor) : 0;
    if (!axis.placed && axis.is_space)
        warnings.push_back("its axis " + dimension + " has a start that is no number: where it lies is left out");
}

MincAxis axis_of(hid_t file, const std::string& dimension, Json& warnings) {
    MincAxis axis;
    axis.name = dimension == "vector_dimension" ? 'c' : dimension.empty() ? '?' : dimension[0];
    const std::size_t place = std::string("xyz").find(axis.name);
    axis.is_space = place != std::string::npos;
    if (dimension != std::string(1, axis.name) + "space" && dimension != "time" && axis.name != 'c')
        throw Problem{"is a MINC file with the axis \"" + dimension + "\", which is not read",
                      "convert it, for instance by mnc2nii"};
    const Handle data = open_dataset(file, ("/minc-2.0/dimensions/" + dimension).c_str());
    if (!data.good() || axis.name == 'c') return axis;
    if (axis.is_space) axis.direction[place] = 1;
    if (const std::vector<double> cosines = numbers_at(data, "direction_cosines"); cosines.size() == 3)
        std::copy(cosines.begin(), cosines.end(), axis.direction.begin());
    measure(data, dimension, axis, warnings);
    return axis;
}

/// Places of voxels in mm, by three axes of space, the slowest first. MINC goes to the right, the front and up, as ours does.
std::array<double, 16> affine_of(const std::vector<MincAxis>& space) {
    std::array<double, 16> affine{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            const MincAxis& axis = space[2 - column];
            affine[row * 4 + column] = axis.direction[row] * axis.step;
            affine[row * 4 + 3] += axis.direction[row] * axis.start;
        }
    }
    affine[15] = 1;
    return affine;
}

}   // namespace

std::size_t describe_minc(hid_t file, hid_t dataset, const std::vector<hsize_t>& sizes, Json& said) {
    const std::string order = text_at(dataset, "dimorder");   // "zspace,yspace,xspace"
    std::vector<MincAxis> axes, space;
    for (std::size_t at = 0; at <= order.size() && !order.empty() && axes.size() <= sizes.size();) {
        const std::size_t end = std::min(order.find(',', at), order.size());
        axes.push_back(axis_of(file, order.substr(at, end - at), said["warnings"]));
        if (axes.back().is_space) space.push_back(axes.back());
        at = end + 1;
    }
    if (axes.size() != sizes.size() || axes.empty())
        throw Problem{"is a MINC file that gives its axes as \"" + order.substr(0, 200) + "\"", again};
    // The fastest axis of space is x, wherever it goes: that the affine says.
    std::size_t next = 0;
    for (std::size_t i = axes.size(); i-- > 0;) {
        Json& one = said["axes"][i];
        const MincAxis& axis = axes[i];
        one["name"] = std::string(1, axis.is_space && next < 3 ? "xyz"[next++] : axis.name);
        if (!axis.odd && (axis.told || axis.is_space)) one["spacing"] = std::abs(axis.step);
    }
    const bool odd = std::all_of(space.begin(), space.end(), [](const MincAxis& axis) { return axis.odd; });
    said["unit"] = odd ? "" : "mm";
    const std::size_t pages = axes[0].name == 't' ? 1 : 0;
    said["page_axes"] = pages;
    if (space.size() == 3 && std::all_of(space.begin(), space.end(), [](const MincAxis& axis) { return axis.placed; }))
        said["affine"] = affine_of(space);
    said["detail"] = "MINC 2, " + order;
    return pages;
}

MincScales::MincScales(hid_t file, hid_t dataset, const Type& type, const std::vector<hsize_t>& sizes) {
    const std::string stored = type.name;
    if (stored[0] == 'f' || stored[0] == 'c') return;
    low_ = of_slices(file, "/minc-2.0/image/0/image-min", sizes), high_ = of_slices(file, "/minc-2.0/image/0/image-max", sizes);
    range_ = numbers_at(dataset, "valid_range");
    if (range_.empty()) {   // then all numbers of the type are valid
        const double bits = static_cast<double>(8 * H5Tget_size(type.memory));
        range_ = stored[0] == 'u' ? std::vector<double>{0, std::exp2(bits) - 1}
                                  : std::vector<double>{-std::exp2(bits - 1), std::exp2(bits - 1) - 1};
    }
    std::sort(range_.begin(), range_.end());   // their order says nothing
    std::uint64_t elements = 1;
    for (const hsize_t size : sizes) elements *= size;
    if (low_.empty() || low_.size() != high_.size() || elements % low_.size() != 0 || range_.size() != 2 ||
        !(range_[1] > range_[0]))
        throw Problem{"is a MINC file whose scales are missing or do not fit", again};
    slice_ = elements / low_.size();
    double most = 0;   // of the scaled numbers
    for (const std::vector<double>* ends : {&low_, &high_})
        for (const double end : *ends) most = std::max(most, std::abs(end));
    loss_ = loss_by_scale(stored, 0, most);
}

void MincScales::apply(std::int64_t first_element, std::size_t count, float* values) const {
    // As floats, since the elements are: of 32 bits the last valid number may be the next float.
    const auto least = static_cast<float>(range_[0]), most = static_cast<float>(range_[1]);
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>((static_cast<std::uint64_t>(first_element) + i) / slice_);
        const bool valid = values[i] >= least && values[i] <= most;
        const double real = (values[i] - range_[0]) / (range_[1] - range_[0]) * (high_[at] - low_[at]) + low_[at];
        values[i] = valid ? static_cast<float>(real) : std::numeric_limits<float>::quiet_NaN();
    }
}

}   // namespace parallax::io::readers
