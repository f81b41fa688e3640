// MATLAB's files of versions 4 and 5 (to 7.2) by matio, in a program of its own. Those of 7.3 are HDF5.
#include "io/reader_file.hpp"

#include <algorithm>
#include <cstring>

namespace parallax::io::mat {
namespace {

constexpr ReaderOf reader_of_mat = {"mat", "a MATLAB file", "libmatio-dev"};

/// Without a mark: a type of digits that fit, sizes, and a name of letters that ends where its length says.
bool is_version_4(Head head) {
    if (head.size() < 22) return false;
    for (const bool swap : {false, true}) {
        const auto word = [&](std::size_t at) {
            std::uint32_t value = 0;
            for (std::size_t i = 0; i < 4; ++i) value = value << 8 | head[at + (swap ? i : 3 - i)];
            return value;
        };
        const std::uint32_t type = word(0), imaginary = word(12), length = word(16);
        const bool digits = type / 1000 == (swap ? 1u : 0u) && type / 100 % 10 == 0 && type / 10 % 10 <= 5 && type % 10 <= 2;
        if (!digits || imaginary > 1 || word(4) > 0x7fffffff || word(8) > 0x7fffffff || length < 2 || length > 64 ||
            head.size() < 20 + length || head[19 + length] != 0)
            continue;
        if (std::all_of(head.begin() + 20, head.begin() + 19 + length, [](unsigned char c) {
                return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
            }))
            return true;
    }
    return false;
}

}   // namespace

bool matches(Head head) { return is_version_4(head) || (head.size() >= 10 && std::memcmp(head.data(), "MATLAB 5.0", 10) == 0); }

FileInfo info(const Source& source) { return reader_info(source, reader_of_mat); }

HostArray read(const Source& source) { return reader_read(source, reader_of_mat); }

}   // namespace parallax::io::mat
