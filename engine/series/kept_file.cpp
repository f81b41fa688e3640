#include "series/kept_file.hpp"

#include "io/file.hpp"
#include "parallax/host/error.hpp"
#include "support/entries.hpp"

#include <algorithm>
#include <string>
#include <system_error>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::error_code& code) {
    throw IoError(io::show(path), "cannot be looked at: " + code.message(),
                  "records that cannot be read would be missed without a word: --resume goes on when they can");
}

bool is_one_of(const std::error_code& code, std::initializer_list<std::errc> codes) {
    return std::any_of(codes.begin(), codes.end(), [&](std::errc one) { return code == one; });
}

}  // namespace

std::optional<host::OpenedFile> open_kept(const fs::path& file) {
    using enum std::errc;
    try {
        return host::Folder::open(file.parent_path()).file(file.filename());
    } catch (const std::system_error& error) {
        if (is_one_of(error.code(), {no_such_file_or_directory, not_a_directory})) return std::nullopt;
        if (is_one_of(error.code(), {too_many_symbolic_link_levels, is_a_directory, no_such_device_or_address})) return std::nullopt;
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
    if (error && !is_one_of(error, {std::errc::no_such_file_or_directory, std::errc::not_a_directory})) fail(folder, error);
    return entries;
}

}  // namespace parallax::engine::series
