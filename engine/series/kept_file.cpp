#include "series/kept_file.hpp"

#include "io/file.hpp"
#include "io/known_status.hpp"
#include "parallax/host/error.hpp"
#include "support/entries.hpp"

#include <string>
#include <system_error>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::error_code& code) {
    throw IoError(io::show(path), "cannot be looked at: " + code.message(),
                  "records that cannot be read would be missed without a word: --resume goes on when they can");
}

}  // namespace

std::optional<host::OpenedFile> open_kept(const fs::path& file) {
    try {
        return host::Folder::open(file.parent_path()).file(file.filename());
    } catch (const std::system_error& error) {
        const bool no_file = error.code() == std::errc::is_a_directory || error.code() == std::errc::no_such_device_or_address;
        if (no_file || io::leads_nowhere(error.code())) return std::nullopt;
        fail(file, error.code());
    }
}

host::OpenedFile kept(const fs::path& file) {
    if (std::optional<host::OpenedFile> opened = open_kept(file)) return std::move(*opened);
    throw IoError(io::show(file), "has gone, or is no file any more", "leave the manifest alone while a series runs; then --resume");
}

std::vector<fs::path> kept_in(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> entries = host::entries_of(folder, error);
    if (error && !io::says_absent(error)) fail(folder, error);
    return entries;
}

}  // namespace parallax::engine::series
