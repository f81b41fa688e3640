#include "io/readers/hdf5_lzf.hpp"

#include <hdf5.h>

#include <array>
#include <cstdlib>

#include "io/readers/lzf.hpp"

namespace parallax::io::readers {

namespace {

constexpr std::size_t beside = 4096;   // what other filters put to a chunk's numbers before it is packed: 21 bytes at most

struct Chunk {
    std::size_t bytes = 0;
    bool whole = false;
};
Chunk chunk;   // of the dataset that is read: HDF5 tells a filter nothing of it

/// HDF5 reads a whole chunk of what it is given, whatever was in the file.
std::size_t filter(unsigned int flags, std::size_t count, const unsigned int* numbers, std::size_t bytes, std::size_t* size,
                   void** buffer) {
    if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;   // nothing is packed here
    (void)count, (void)numbers;   // the third is a chunk's length, where a writer says it
    const std::size_t room = chunk.bytes + beside;
    void* const out = std::calloc(room, 1);
    if (!out) {
        H5Epush2(H5E_DEFAULT, "hdf5_lzf.cpp", __func__, __LINE__, H5E_ERR_CLS, H5E_RESOURCE, H5E_NOSPACE, "no memory for a chunk");
        return 0;
    }
    const std::size_t got =
        unpack_lzf(static_cast<const unsigned char*>(*buffer), bytes, static_cast<unsigned char*>(out), room);
    if (got == 0 || (chunk.whole && got < chunk.bytes)) {
        std::free(out);
        return 0;
    }
    std::free(*buffer);
    *buffer = out;
    *size = room;
    return got;
}

}   // namespace

void expect_lzf(hid_t dataset) noexcept {
    chunk = {};
    const hid_t list = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    std::array<hsize_t, H5S_MAX_RANK> sizes{};
    if (H5Pget_layout(list) == H5D_CHUNKED) {
        const int rank = H5Pget_chunk(list, static_cast<int>(sizes.size()), sizes.data());
        chunk = {H5Tget_size(type), true};
        for (int i = 0; i < rank; ++i) chunk.bytes *= sizes[static_cast<std::size_t>(i)];   // HDF5 holds it below 4 GiB
        const int filters = H5Pget_nfilters(list);
        for (int i = 0; i < filters; ++i) {
            std::size_t numbers = 0;
            unsigned int flags = 0, config = 0;
            const H5Z_filter_t filter =
                H5Pget_filter2(list, static_cast<unsigned>(i), &flags, &numbers, nullptr, 0, nullptr, &config);
            if (filter == number_of_lzf) break;
            chunk.whole =
                chunk.whole && (filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32);   // others make less of it
        }
    }
    H5Tclose(type);
    H5Pclose(list);
}

void register_lzf() noexcept {
    static const H5Z_class2_t lzf = {H5Z_CLASS_T_VERS, number_of_lzf, 0, 1, "lzf", nullptr, nullptr, filter};
    if (H5Zfilter_avail(number_of_lzf) <= 0) H5Zregister(&lzf);
}

}   // namespace parallax::io::readers
