#include "io/readers/hdf5_packed.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "io/readers/hdf5_lzf.hpp"
#include "io/readers/hdf5_parts.hpp"
#include "io/readers/hdf5_slabs.hpp"
#include "io/readers/lzf.hpp"

namespace parallax::io::readers {
namespace {

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
    sizes_ = sizes_of(dataset);
    unsigned options = 0;
    plain_at_ends_ = H5Pget_chunk_opts(list, &options) >= 0 && (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
    bytes_ = H5Tget_size(type);
    for (const hsize_t size : chunk_) bytes_ *= static_cast<std::size_t>(size);   // HDF5 holds it below 4 GiB
    for (int i = 0; i < filters; ++i) {
        std::vector<unsigned> values(64);
        std::size_t count = values.size();
        unsigned flags = 0, config = 0;
        const H5Z_filter_t number =
            H5Pget_filter2(list, static_cast<unsigned>(i), &flags, &count, values.data(), 0, nullptr, &config);
        values.resize(std::min(count, values.size()));
        filters_.push_back({number, std::move(values)});
    }
}

void PackedChunks::untrue(const std::vector<hsize_t>& at, const std::string& what) const {
    std::string place;
    for (const hsize_t one : at) place += (place.empty() ? "" : ", ") + std::to_string(one);
    throw Problem{"its dataset " + path_ + " cannot be read: its chunk at (" + place + ") " + what, again};
}

/// Unpacks so many bytes of now_. More than there may be comes out as more than there may be.
std::size_t PackedChunks::unpack(H5Z_filter_t number, std::size_t bytes) {
    other_.resize(with_room(bytes_));
    std::size_t made = 0;
    if (number == number_of_lzf) {
        made = unpack_lzf(now_.data(), bytes, other_.data(), other_.size());
    } else {
        if (!inflate_) inflate_.reset(libdeflate_alloc_decompressor());
        if (!inflate_) throw std::bad_alloc();
        const libdeflate_result result =
            libdeflate_zlib_decompress(inflate_.get(), now_.data(), bytes, other_.data(), other_.size(), &made);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return other_.size() + 1;
        if (result != LIBDEFLATE_SUCCESS) return 0;
    }
    std::swap(now_, other_);
    return made;
}

/// The first bytes of all elements, then the second ones ..., become elements.
void PackedChunks::unshuffle(std::size_t bytes, std::size_t element) {
    other_ = now_;
    const std::size_t count = element > 0 ? bytes / element : 0;
    for (std::size_t b = 0; b < element; ++b)
        for (std::size_t i = 0; i < count; ++i) other_[i * element + b] = now_[b * count + i];
    std::swap(now_, other_);
}

bool PackedChunks::is_plain(const std::vector<hsize_t>& at) const {
    for (std::size_t i = 0; i < at.size() && plain_at_ends_; ++i)
        if (at[i] + chunk_[i] > sizes_[i]) return true;
    return false;
}

void PackedChunks::check_chunk(const std::vector<hsize_t>& at) {
    hsize_t stored = 0;
    if (H5Dget_chunk_storage_size(dataset_, at.data(), &stored) < 0 || stored == 0) return;   // it is not there
    if (stored > with_room(bytes_)) untrue(at, "takes more bytes in the file than its elements do");
    now_.resize(static_cast<std::size_t>(stored));
    std::uint32_t left_out = 0;
    if (H5Dread_chunk(dataset_, H5P_DEFAULT, at.data(), &left_out, now_.data()) < 0)
        throw Problem{"its dataset " + path_ + " cannot be read: " + last_words(), again};
    std::size_t bytes = now_.size();
    bool known = true, of_plugin = false;   // known: now_ holds them
    for (std::size_t i = is_plain(at) ? 0 : filters_.size(); i-- > 0;) {
        if (i < 32 && (left_out >> i & 1u) != 0) continue;
        const auto& [number, values] = filters_[i];
        const bool looked_into = number == H5Z_FILTER_DEFLATE || number == number_of_lzf || number == H5Z_FILTER_SZIP;
        if (looked_into && !known)
            throw Problem{"packs its dataset " + path_ + " by two filters, one behind the other, which is not read",
                          "repack it by gzip, for instance by h5repack -f GZIP=4"};
        if (number == H5Z_FILTER_FLETCHER32) {
            bytes -= std::min<std::size_t>(bytes, 4);
        } else if (number == H5Z_FILTER_SHUFFLE) {
            if (known && !values.empty()) unshuffle(bytes, values[0]);
        } else if (number == H5Z_FILTER_SZIP && bytes >= 4) {   // it says so itself
            bytes = std::size_t{now_[0]} | std::size_t{now_[1]} << 8 | std::size_t{now_[2]} << 16 | std::size_t{now_[3]} << 24;
            known = false;
        } else if (looked_into) {
            bytes = number == H5Z_FILTER_SZIP ? 0 : unpack(number, bytes);
        } else if (const auto said = said_by(number, values)) {
            bytes = static_cast<std::size_t>(*said);
            known = false;
        } else {   // of which nobody here knows what it makes
            of_plugin = true;
            known = false;
        }
        if (known && bytes > now_.size()) break;
    }
    if (of_plugin) return;
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
