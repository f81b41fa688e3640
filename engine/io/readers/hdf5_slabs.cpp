#include "io/readers/hdf5_slabs.hpp"

#include <algorithm>
#include <array>

#include "io/readers/hdf5_parts.hpp"

namespace parallax::io::readers {
namespace {

constexpr hsize_t most_chunks = 1024;

}   // namespace

std::vector<hsize_t> chunk_of(hid_t dataset) {
    const Handle list(H5Dget_create_plist(dataset), H5Pclose);
    if (H5Pget_layout(list) != H5D_CHUNKED) return {};
    std::array<hsize_t, H5S_MAX_RANK> sizes{};
    const int rank = H5Pget_chunk(list, static_cast<int>(sizes.size()), sizes.data());
    return {sizes.begin(), sizes.begin() + std::max(0, rank)};
}

Slabs::Slabs(std::vector<hsize_t> from, std::vector<hsize_t> many, const std::vector<hsize_t>& chunk)
    : from_(std::move(from)), many_(std::move(many)), step_(many_), at_(from_), inside_(many_.size(), 0), sizes_(many_) {
    if (chunk.size() != many_.size()) return;   // in one piece
    hsize_t left = most_chunks;   // as many of the last axes' chunks as may be, one of each axis before
    for (std::size_t i = many_.size(); i-- > 0;) {
        const hsize_t chunks = (from_[i] + many_[i] - 1) / chunk[i] - from_[i] / chunk[i] + 1;
        if (chunks > left) step_[i] = chunk[i] * left;
        left /= std::min(left, chunks);
    }
}

/// To the end of the box, or to where a whole number of steps ends.
void Slabs::measure(std::size_t axis) {
    const hsize_t end = from_[axis] + many_[axis], step = step_[axis], at = at_[axis];
    sizes_[axis] = step == many_[axis] ? many_[axis] : std::min(end, at / step * step + step) - at;
    inside_[axis] = at - from_[axis];
}

bool Slabs::next() {
    if (!begun_) {
        begun_ = true;
        for (std::size_t i = 0; i < many_.size(); ++i) measure(i);
        return true;
    }
    for (std::size_t i = many_.size(); i-- > 0;) {
        at_[i] += sizes_[i];
        if (at_[i] < from_[i] + many_[i]) {
            for (std::size_t j = i; j < many_.size(); ++j) measure(j);
            return true;
        }
        at_[i] = from_[i];
    }
    return false;
}

}   // namespace parallax::io::readers
