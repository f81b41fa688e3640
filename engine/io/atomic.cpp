// A file appears complete or not at all.
#include <fmt/format.h>

#include <system_error>

#include "io/file.hpp"
#include "io/io.hpp"
#include "io/known_status.hpp"
#include "io/transaction.hpp"
#include "parallax/host/error.hpp"

namespace fs = std::filesystem;

namespace parallax::io {

void check_replaceable(const fs::path& path, bool store) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status)) return;
    const std::string name = show(path);
    const bool is_folder = fs::is_directory(status);
    if (is_folder && !store) throw IoError(name, "is a folder", "give a file name inside it");
    if (is_folder && !is_store(path))
        throw IoError(name, "is a folder and no Zarr store", "choose another name: what is in it is not removed");
    if (!is_folder && !fs::is_regular_file(status))
        throw IoError(name, "is a device or a pipe, not a regular file", "choose another name");
    if (const std::string held = why_it_is_held(path); !held.empty())
        throw IoError(name, fmt::format("is {}, and cannot be replaced", held), "choose another name, or another folder");
}

void check_target(const fs::path& path, bool overwrite, bool store) {
    if (store && Transaction::is_part(path)) return;   // the empty folder that is there is for it
    const std::string name = show(path);
    if (!path.has_filename()) throw IoError(name, "names no file", "give a file name behind the folder");
    check_replaceable(path, store);
    std::error_code code;
    if (!overwrite && !Transaction::is_part(path) && fs::exists(path, code))   // whoever fills a part looks (io/part_file.hpp)
        throw IoError(name, "exists already", "choose another name, or allow overwriting");
    fs::path folder = fs::absolute(path, code).parent_path();
    fs::file_status status = fs::status(folder, code);
    for (; says_absent(code) && folder != folder.parent_path(); status = fs::status(folder, code)) folder = folder.parent_path();
    if (!fs::exists(status))
        throw IoError(name, fmt::format("the folder {} cannot be looked at: {}", show(folder), code.message()), "choose another folder");
    if (!fs::is_directory(status))
        throw IoError(name, fmt::format("{} is a file, not a folder", show(folder)), "choose another folder");
    if (const std::string why = why_none_is_made_in(folder); !why.empty())
        throw IoError(name, fmt::format("the folder {} {}", show(folder), why),
                      "choose another folder, or see to its permissions");
}

void write_atomically(const fs::path& path, bool overwrite, const std::function<void(const fs::path&)>& produce, bool strict,
                      bool folder) {
    if (Transaction::is_part(path)) return produce(path);
    check_target(path, overwrite, folder);
    Transaction alone(path.parent_path(), {.overwrite = overwrite, .strict = strict});
    alone.add(path, produce, folder ? Transaction::Form::folder : Transaction::Form::file);
    alone.commit();
}

}  // namespace parallax::io
