#include "io/readers/hdf5_minc.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/readers/hdf5_lzf.hpp"
#include "io/readers/hdf5_packed.hpp"
#include "io/scale_loss.hpp"

namespace parallax::io::readers {
namespace {

/// All numbers of a small dataset.
std::vector<double> whole(hid_t file, const char* path) {
    const Handle data = open_dataset(file, path);
    if (!data.good() || is_elsewhere(data)) return {};
    std::uint64_t count = 1;
    for (const hsize_t size : sizes_of(data)) count = size > 0 && count < (1u << 24) / size ? count * size : 0;
    std::vector<double> values(static_cast<std::size_t>(count));
    expect_lzf(data);
    if (!values.empty()) PackedChunks(data, path).check();
    if (values.empty() || H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return {};
    return values;
}

}   // namespace

std::size_t describe_minc(hid_t file, hid_t dataset, const std::vector<hsize_t>& sizes, Json& said) {
    const std::string order = text_at(dataset, "dimorder");   // "zspace,yspace,xspace"
    std::string names;
    std::vector<std::array<double, 3>> steps;   // of each axis of space, the slowest first
    std::array<double, 3> origin{};
    bool placed = true;
    for (std::size_t at = 0; at <= order.size() && !order.empty();) {
        const std::size_t end = std::min(order.find(',', at), order.size());
        const std::string dimension = order.substr(at, end - at);
        at = end + 1;
        const char name = dimension == "vector_dimension" ? 'c' : dimension.empty() ? '?' : dimension[0];
        if (dimension != std::string(1, name) + "space" && dimension != "time" && name != 'c')
            throw Problem{"is a MINC file with the axis \"" + dimension + "\", which is not read",
                          "convert it, for instance by mnc2nii"};
        names += name;
        const std::size_t place = std::string("xyz").find(name);
        const Handle axis = open_dataset(file, ("/minc-2.0/dimensions/" + dimension).c_str());
        if (!axis.good()) {
            placed = placed && place == std::string::npos;
            continue;
        }
        const std::vector<double> step = numbers_at(axis, "step"), start = numbers_at(axis, "start"),
                                  cosines = numbers_at(axis, "direction_cosines");
        const bool told = step.size() == 1 && step[0] != 0;
        const double by = told ? step[0] : 1;
        for (Json& one : said["axes"]) {
            if (said["axes"].size() == sizes.size() && &one == &said["axes"][names.size() - 1] && (told || name != 't'))
                one["spacing"] = std::abs(by);
        }
        if (place == std::string::npos) continue;
        std::array<double, 3> direction{};
        direction[place] = 1;
        if (cosines.size() == 3) std::copy(cosines.begin(), cosines.end(), direction.begin());
        steps.emplace_back();
        for (std::size_t i = 0; i < 3; ++i) {
            steps.back()[i] = direction[i] * by;
            origin[i] += direction[i] * (start.size() == 1 ? start[0] : 0);
        }
    }
    if (names.size() != sizes.size()) throw Problem{"is a MINC file that gives its axes as \"" + order + "\"", again};
    // The fastest axis of space is x, wherever it goes: that the affine says.
    std::size_t space = 0;
    for (std::size_t i = names.size(); i-- > 0;) {
        if (std::string("xyz").find(names[i]) != std::string::npos) names[i] = "xyz"[space++];
        said["axes"][i]["name"] = std::string(1, names[i]);
    }
    said["unit"] = "mm";
    const std::size_t pages = names[0] == 't' ? 1 : 0;
    said["page_axes"] = pages;
    if (placed && space == 3 && steps.size() == 3) {
        std::array<double, 16> affine{};   // MINC goes to the right, the front and up, as ours does
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t column = 0; column < 3; ++column) affine[row * 4 + column] = steps[2 - column][row];
            affine[row * 4 + 3] = origin[row];
        }
        affine[15] = 1;
        said["affine"] = affine;
    }
    said["detail"] = "MINC 2, " + order;
    return pages;
}

MincScales::MincScales(hid_t file, hid_t dataset, const Type& type, const std::vector<hsize_t>& sizes) {
    const std::string stored = type.name;
    if (stored[0] == 'f' || stored[0] == 'c') return;
    low_ = whole(file, "/minc-2.0/image/0/image-min"), high_ = whole(file, "/minc-2.0/image/0/image-max");
    range_ = numbers_at(dataset, "valid_range");
    if (range_.empty()) {   // then all numbers of the type are valid
        const double bits = static_cast<double>(8 * H5Tget_size(type.memory));
        range_ = stored[0] == 'u' ? std::vector<double>{0, std::exp2(bits) - 1}
                                  : std::vector<double>{-std::exp2(bits - 1), std::exp2(bits - 1) - 1};
    }
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
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>((static_cast<std::uint64_t>(first_element) + i) / slice_);
        values[i] = static_cast<float>((values[i] - range_[0]) / (range_[1] - range_[0]) * (high_[at] - low_[at]) + low_[at]);
    }
}

}   // namespace parallax::io::readers
