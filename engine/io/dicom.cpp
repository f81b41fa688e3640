// DICOM by GDCM, in a program of its own: a file, or a folder of slices.
#include "io/reader_file.hpp"

namespace parallax::io::dicom {
namespace {

constexpr ReaderOf reader_of_dicom = {"dicom", "a DICOM file", "libgdcm-dev"};

/// Without the 128 bytes before its mark: a data element of group 2 or 8, little or big-endian, explicit or implicit.
bool is_bare(Head head) {
    if (head.size() < 12) return false;
    const bool little = (head[0] == 2 || head[0] == 8) && head[1] == 0 && head[3] == 0,
               big = head[0] == 0 && (head[1] == 2 || head[1] == 8) && head[2] == 0;
    if (!little && !big) return false;
    const auto capital = [&](std::size_t at) { return head[at] >= 'A' && head[at] <= 'Z'; };
    const bool explicit_type = capital(4) && capital(5),
               short_length = little && head[5] == 0 && head[6] == 0 && head[7] == 0 && head[4] > 0 && head[4] < 65;
    return explicit_type || short_length;
}

}   // namespace

bool is_marked(Head head) { return head.size() > 132 && std::memcmp(head.data() + 128, "DICM", 4) == 0; }

bool matches(Head head) { return is_marked(head) || is_bare(head); }

FileInfo info(const Source& source) { return reader_info(source, reader_of_dicom); }

HostArray read(const Source& source) { return reader_read(source, reader_of_dicom); }

}   // namespace parallax::io::dicom
