// What the packed chunks of an HDF5 dataset hold, found out before HDF5 unpacks them: its own filters unpack without end, and of a
// chunk that holds too little HDF5 (1.10 at least) takes what lies behind it in memory for elements.
#pragma once

#include <hdf5.h>

#include <memory>
#include <string>
#include <vector>

struct libdeflate_decompressor;

namespace parallax::io::readers {

class PackedChunks {
public:
    /// `path` is the dataset's, for messages.
    PackedChunks(hid_t dataset, std::string path);

    /// Of the chunks that a box of `many` elements from `from` on touches. Throws Problem.
    void check(const std::vector<hsize_t>& from, const std::vector<hsize_t>& many);
    /// Of all chunks.
    void check();

private:
    struct Filter {
        H5Z_filter_t number;
        std::vector<unsigned> values;
    };
    void check_chunk(const std::vector<hsize_t>& at);
    std::size_t unpack(H5Z_filter_t, std::size_t bytes);
    void unshuffle(std::size_t bytes, std::size_t element);
    /// Whether it lies beyond the dataset's end, in a dataset whose chunks there are not packed.
    bool is_plain(const std::vector<hsize_t>& at) const;
    [[noreturn]] void untrue(const std::vector<hsize_t>& at, const std::string& what) const;

    hid_t dataset_;
    std::string path_;
    std::vector<hsize_t> chunk_, sizes_;   ///< of a chunk (empty: nothing is to be checked), and of all
    bool plain_at_ends_ = false;
    std::vector<Filter> filters_;   ///< as they pack, the first first
    std::size_t bytes_ = 0;         ///< of a chunk's elements
    std::vector<unsigned char> now_, other_;
    std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflate_;
};

}   // namespace parallax::io::readers
