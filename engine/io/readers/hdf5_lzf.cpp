#include "io/readers/hdf5_lzf.hpp"

#include <hdf5.h>

#include <cstdlib>

namespace parallax::io::readers {

namespace {

constexpr H5Z_filter_t number_of_lzf = 32000;
constexpr std::size_t most = std::size_t{1} << 32;   // of a chunk, which HDF5 itself holds to 4 GiB

/// The third of the filter's numbers is how long a chunk is; writers of other languages may leave it out.
std::size_t filter(unsigned int flags, std::size_t count, const unsigned int* numbers, std::size_t bytes, std::size_t* size,
                   void** buffer) {
    if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;   // nothing is packed here
    std::size_t room = count > 2 && numbers[2] > 0 ? numbers[2] : 4 * bytes;
    for (;;) {
        void* const out = std::malloc(room);
        if (!out) return 0;
        const std::size_t got =
            unpack_lzf(static_cast<const unsigned char*>(*buffer), bytes, static_cast<unsigned char*>(out), room);
        if (got > 0) {
            std::free(*buffer);
            *buffer = out;
            *size = room;
            return got;
        }
        std::free(out);
        // A byte of LZF stands for 132 at most.
        if ((count > 2 && numbers[2] > 0) || room >= 132 * bytes || room >= most) return 0;
        room *= 4;
    }
}

}   // namespace

std::size_t unpack_lzf(const unsigned char* from, std::size_t bytes, unsigned char* to, std::size_t room) noexcept {
    std::size_t at = 0, done = 0;
    while (at < bytes) {
        const std::size_t code = from[at++];
        if (code < 32) {   // so many bytes and one as they are
            const std::size_t run = code + 1;
            if (run > bytes - at || run > room - done) return 0;
            for (std::size_t i = 0; i < run; ++i) to[done++] = from[at++];
            continue;
        }
        std::size_t length = code >> 5;   // those of before once more
        if (length == 7) {
            if (at >= bytes) return 0;
            length += from[at++];
        }
        if (at >= bytes) return 0;
        const std::size_t back = ((code & 31) << 8 | from[at++]) + 1;
        length += 2;
        if (back > done || length > room - done) return 0;
        for (std::size_t i = 0; i < length; ++i, ++done) to[done] = to[done - back];
    }
    return done;
}

void register_lzf() noexcept {
    static const H5Z_class2_t lzf = {H5Z_CLASS_T_VERS, number_of_lzf, 0, 1, "lzf", nullptr, nullptr, filter};
    if (H5Zfilter_avail(number_of_lzf) <= 0) H5Zregister(&lzf);
}

}   // namespace parallax::io::readers
