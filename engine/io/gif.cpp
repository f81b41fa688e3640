// GIF by giflib, in a program of its own: its frames as they are shown, one after the other.
#include "io/reader_file.hpp"

namespace parallax::io::gif {
namespace {

constexpr ReaderOf reader_of_gif = {"gif", "a GIF", "libgif-dev"};

}   // namespace

bool matches(Head head) { return head.size() >= 6 && std::memcmp(head.data(), "GIF8", 4) == 0; }

FileInfo info(const Source& source) { return reader_info(source, reader_of_gif); }

HostArray read(const Source& source) { return reader_read(source, reader_of_gif); }

}   // namespace parallax::io::gif
