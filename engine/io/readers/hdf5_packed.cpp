#include "io/readers/hdf5_packed.hpp"

#include <libdeflate.h>

#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "io/readers/hdf5_parts.hpp"
#include "io/readers/hdf5_slabs.hpp"
#include "io/readers/serve.hpp"

namespace parallax::io::readers {
namespace {

constexpr H5Z_filter_t number_of_lzf = 32000;   // ours, which holds itself to a chunk's length

/// What packers may put to the bytes of a chunk that they cannot make less.
std::size_t with_room(std::size_t bytes) { return bytes + bytes / 256 + 4096; }

/// The bytes that a filter makes by what stands in the dataset's header: elements, and bytes of each.
std::optional<std::uint64_t> said_by(H5Z_filter_t number, const std::vector<unsigned>& values) {
    if ((number != H5Z_FILTER_NBIT && number != H5Z_FILTER_SCALEOFFSET) || values.size() < 5) return std::nullopt;
    return std::uint64_t{values[2]} * values[4];
}

}   // namespace

PackedChunks::PackedChunks(hid_t dataset, std::string path)
    : dataset_(dataset), path_(std::move(path)), inflate_(nullptr, libdeflate_free_decompressor) {
    const Handle list(H5Dget_create_plist(dataset), H5Pclose), type(H5Dget_type(dataset), H5Tclose);
    const int filters = H5Pget_nfilters(list);
    if (filters <= 0) return;
    chunk_ = chunk_of(dataset);
    bytes_ = H5Tget_size(type);
    for (const hsize_t size : chunk_) bytes_ *= static_cast<std::size_t>(size);   // HDF5 holds it below 4 GiB
    for (int i = 0; i < filters; ++i) {
        std::vector<unsigned> values(64);
        std::size_t count = values.size();
        unsigned flags = 0, config = 0;
        const H5Z_filter_t number =
            H5Pget_filter2(list, static_cast<unsigned>(i), &flags, &count, values.data(), 0, nullptr, &config);
        values.resize(std::min(count, values.size()));
        if (said_by(number, values).value_or(bytes_) < bytes_)
            throw Problem{"has a filter for its dataset " + path_ + " that makes less than a chunk of it", again};
        filters_.push_back({number, std::move(values)});
    }
}

void PackedChunks::untrue(const std::vector<hsize_t>& at, const std::string& what) const {
    std::string place;
    for (const hsize_t one : at) place += (place.empty() ? "" : ", ") + std::to_string(one);
    throw Problem{"its dataset " + path_ + " cannot be read: its chunk at (" + place + ") " + what, again};
}

/// Unpacks the first of packed_; more than there may be comes out as more than there may be.
std::size_t PackedChunks::inflated(std::size_t bytes) {
    if (!inflate_) inflate_.reset(libdeflate_alloc_decompressor());
    if (!inflate_) throw std::bad_alloc();
    unpacked_.resize(with_room(bytes_));
    std::size_t made = 0;
    const libdeflate_result result =
        libdeflate_zlib_decompress(inflate_.get(), packed_.data(), bytes, unpacked_.data(), unpacked_.size(), &made);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return unpacked_.size() + 1;
    return result == LIBDEFLATE_SUCCESS ? made : 0;
}

void PackedChunks::check_chunk(const std::vector<hsize_t>& at) {
    hsize_t stored = 0;
    if (H5Dget_chunk_storage_size(dataset_, at.data(), &stored) < 0 || stored == 0) return;   // it is not there
    if (stored > with_room(bytes_)) untrue(at, "takes more bytes in the file than its elements do");
    packed_.resize(static_cast<std::size_t>(stored));
    std::uint32_t left_out = 0;
    if (H5Dread_chunk(dataset_, H5P_DEFAULT, at.data(), &left_out, packed_.data()) < 0)
        throw Problem{"its dataset " + path_ + " cannot be read: " + last_words(), again};
    std::size_t bytes = packed_.size();
    bool as_stored = true;
    for (std::size_t i = filters_.size(); i-- > 0;) {
        if (i < 32 && (left_out >> i & 1u) != 0) continue;
        const H5Z_filter_t number = filters_[i].number;
        if (number == H5Z_FILTER_FLETCHER32) {
            bytes -= std::min<std::size_t>(bytes, 4);
        } else if (number == H5Z_FILTER_DEFLATE && as_stored) {
            bytes = inflated(bytes);
            as_stored = false;
        } else if (number == H5Z_FILTER_SZIP && as_stored && bytes >= 4) {   // it says so itself
            bytes = std::size_t{packed_[0]} | std::size_t{packed_[1]} << 8 | std::size_t{packed_[2]} << 16 | std::size_t{packed_[3]} << 24;
            as_stored = false;
        } else if (const auto said = said_by(number, filters_[i].values)) {
            bytes = static_cast<std::size_t>(*said);
            as_stored = false;
        } else if (number == number_of_lzf) {
            return;
        } else if (number == H5Z_FILTER_SHUFFLE) {
            as_stored = false;
        } else {
            untrue(at, "is packed twice, by filters that are not read one after the other");
        }
    }
    if (bytes < bytes_) untrue(at, "holds less than its elements");
    if (bytes > with_room(bytes_)) untrue(at, "holds more than its elements");
}

void PackedChunks::check(const std::vector<hsize_t>& from, const std::vector<hsize_t>& many) {
    if (chunk_.empty() || chunk_.size() != from.size()) return;
    for (const hsize_t size : many)
        if (size == 0) return;
    std::vector<hsize_t> first(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) first[i] = from[i] / chunk_[i] * chunk_[i];
    std::vector<hsize_t> at = first;
    for (std::size_t axis = 0; axis < at.size();) {
        try {
            check_chunk(at);
        } catch (const std::bad_alloc&) {
            throw no_memory_for(path_);
        }
        for (axis = 0; axis < at.size(); ++axis) {   // to the next place
            at[axis] += chunk_[axis];
            if (at[axis] < from[axis] + many[axis]) break;
            at[axis] = first[axis];
        }
    }
}

void PackedChunks::check() {
    const std::vector<hsize_t> sizes = sizes_of(dataset_);
    check(std::vector<hsize_t>(sizes.size(), 0), sizes);
}

}   // namespace parallax::io::readers
