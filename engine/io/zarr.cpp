// Zarr of version 2, OME-Zarr above all: a folder, read with blosc and zstd, in a program of its own.
#include "io/reader_file.hpp"

namespace parallax::io::zarr {
namespace {

constexpr ReaderOf reader_of_zarr = {"zarr", "a Zarr folder", "libblosc-dev and libzstd-dev"};

}   // namespace

bool matches(Head) { return false; }   // a folder, known by what stands in it

bool is_folder_of(const std::filesystem::path& folder) {
    std::error_code ignored;
    for (const char* const name : {".zgroup", ".zarray", ".zattrs", "zarr.json"}) {
        // Of a link its end is not looked at: whoever asks may have no business there.
        if (std::filesystem::exists(std::filesystem::symlink_status(folder / name, ignored))) return true;
    }
    return false;
}

FileInfo info(const Source& source) { return reader_info(source, reader_of_zarr); }

HostArray read(const Source& source) { return reader_read(source, reader_of_zarr); }

}   // namespace parallax::io::zarr
