// HDF5 by the HDF Group's library, in a program of its own. MAT 7.3 and MINC 2 are such files.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "io/file.hpp"
#include "io/reader_file.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io::hdf5 {
namespace {

constexpr ReaderOf reader_of_hdf5 = {"hdf5", "an HDF5 file (MAT 7.3, MINC 2 and NetCDF 4 are such)", "libhdf5-dev"};

/// An attribute of HDF5 may have 64 KiB: 16 bytes for each text, and its head.
constexpr std::int64_t most_names = 4091;

constexpr std::string_view mark = "\x89HDF\r\n\x1a\n";

}   // namespace

bool begins_later(const Source& source) {
    File file = source.open();
    for (std::uint64_t at = 1024; at + mark.size() <= source.bytes; at *= 2) {
        std::array<char, mark.size()> bytes{};
        file.seek(at);
        file.read(bytes.data(), bytes.size(), "the beginning of HDF5");
        if (std::string_view(bytes.data(), bytes.size()) == mark) return true;
    }
    return false;
}

/// At the beginning, or behind a block of the user's own: MATLAB has its words there.
bool matches(Head head) {
    const auto at = [&](std::size_t place) {
        return head.size() >= place + mark.size() && std::memcmp(head.data() + place, mark.data(), mark.size()) == 0;
    };
    return at(0) || at(512);
}

FileInfo info(const Source& source) { return reader_info(source, reader_of_hdf5); }

HostArray read(const Source& source) { return reader_read(source, reader_of_hdf5); }

std::string refusal(const ArrayDesc& desc, const WriteOptions&) {
    if (desc.axes.empty() || desc.axes.size() > 8)
        return fmt::format("HDF5 is written with 1 to 8 axes, this is {}", desc.describe());
    return why_not_written(reader_of_hdf5);
}

std::string refusal_of_names(const ArrayDesc& desc, const Metadata& metadata) {
    const std::int64_t names = std::ssize(metadata.channels);
    if (names <= most_names || names != desc.size('c')) return {};   // others are not written
    return fmt::format("HDF5 is written with names for up to {} channels, since an attribute may have 64 KiB; this has {} names",
                       most_names, names);
}

void write(const std::filesystem::path& path, const std::string& name, const HostArray& array, const WriteOptions&) {
    if (std::string why = refusal_of_names(array.desc, array.metadata); !why.empty())
        throw IoError(name, std::move(why), "write a .zarr folder");
    write_by_reader(path, name, array, reader_of_hdf5);
}

}   // namespace parallax::io::hdf5
