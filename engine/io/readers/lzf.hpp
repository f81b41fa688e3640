// LZF's packed bytes (LibLZF by Marc Lehmann), as h5py has them.
#pragma once

#include <cstddef>

namespace parallax::io::readers {

/// Unpacks up to `room` bytes; how many there are, or 0 where the packed ones are damaged or hold more.
inline std::size_t unpack_lzf(const unsigned char* from, std::size_t bytes, unsigned char* to, std::size_t room) noexcept {
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

}   // namespace parallax::io::readers
