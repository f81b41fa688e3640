#include "io/packed_ends.hpp"

#include <algorithm>
#include <array>

namespace parallax::io {
std::uint64_t bytes_of_packbits(std::span<const unsigned char> packed, std::uint64_t wanted, std::uint64_t most) {
    std::uint64_t done = 0;
    for (std::size_t at = 0; at < packed.size();) {
        if ((done == wanted || done == most) && packed.size() - at == 1) break;   // no run
        const int code = static_cast<signed char>(packed[at++]);
        if (code == -128) continue;   // says nothing
        done += static_cast<std::uint64_t>(code >= 0 ? code + 1 : 1 - code);
        at += code >= 0 ? static_cast<std::size_t>(code) + 1 : 1;
        if (done > most || at > packed.size()) return most + 1;
    }
    return done;
}

std::uint64_t bytes_of_lzw(std::span<const unsigned char> packed, std::uint64_t wanted, std::uint64_t most) {
    constexpr unsigned clear = 256, end = 257, first_free = 258, none = 4096;
    if (packed.size() >= 2 && packed[0] == 0 && (packed[1] & 1) != 0) return wanted;
    std::array<std::uint32_t, 4096> lengths{};   // of the strings that codes stand for
    std::fill_n(lengths.begin(), 256, 1u);
    std::uint64_t done = 0, waiting = 0;   // the last bit in the lowest place
    unsigned width = 9, next = first_free, before = none, bits = 0;
    for (std::size_t at = 0;;) {
        while (bits < width && at < packed.size()) waiting = waiting << 8 | packed[at++], bits += 8;
        if (bits < width) return done;   // no code says that it is the end
        const std::size_t left = 8 * (packed.size() - at) + bits;
        bits -= width;
        const auto code = static_cast<unsigned>(waiting >> bits & ((1u << width) - 1));
        if (code == end) return done;
        if ((done == wanted || done == most) && left < 16) return done;   // no code and an end
        if (code == clear) {
            width = 9, next = first_free, before = none;
            continue;
        }
        if (before != none && next < lengths.size()) {   // one byte more than the code before
            lengths[next] = lengths[before] + 1;
            if (++next + 1 >= 1u << width && width < 12) ++width;   // one code earlier than need be, as Aldus did
        }
        if (code >= next) return most + 1;   // nothing stands for it
        before = code;
        done += lengths[code];
        if (done > most) return most + 1;
    }
}

}   // namespace parallax::io
