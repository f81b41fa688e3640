// MATLAB's files of versions 4 and 5 (to 7.2) by matio, in a program of its own. Those of 7.3 are HDF5.
#include "io/reader_file.hpp"

namespace parallax::io::mat {
namespace {

constexpr ReaderOf reader_of_mat = {"mat", "a MATLAB file", "libmatio-dev"};

}   // namespace

bool matches(Head head) { return head.size() >= 10 && std::memcmp(head.data(), "MATLAB 5.0", 10) == 0; }

FileInfo info(const Source& source) { return reader_info(source, reader_of_mat); }

HostArray read(const Source& source) { return reader_read(source, reader_of_mat); }

}   // namespace parallax::io::mat
