// What to try where a file cannot be written.
#pragma once

#include <cerrno>
#include <system_error>

namespace parallax::io {

/// Where a limit on the length of files is met (EFBIG), the disk has room.
constexpr const char* file_limit_hint =
    "files may not be longer than this here: raise --limit output=SIZE where it is given, or ulimit -f";

constexpr const char* write_hint = "see whether the disk is full and the folder may be written";

constexpr const char* open_files_hint =
    "this process, or the system, may open no more files: close some, or raise the limit (ulimit -n)";

inline const char* open_hint_for(int code) {
    return code == EMFILE || code == ENFILE  ? open_files_hint
           : code == EACCES || code == EPERM ? "look at its permissions"
                                             : "see whether its disk, drive or server is well";
}

inline bool too_many_are_open(const std::error_code& error) {
    return error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system;
}

/// What a process lacks, which says nothing of the file or folder that it asked for.
inline bool is_shortage(const std::error_code& error) {
    return too_many_are_open(error) || error == std::errc::not_enough_memory;
}

/// On the way, on which no link is followed, stands one, or a file where a folder should.
inline bool meets_link_or_file(const std::error_code& error) {
    return error == std::errc::too_many_symbolic_link_levels || error == std::errc::not_a_directory;
}

/// The path is wrong, or what it names. All else (too many open files, a disk that fails) says nothing of it.
inline bool is_of_the_path(const std::error_code& error) {
    return meets_link_or_file(error) || error == std::errc::no_such_file_or_directory || error == std::errc::permission_denied ||
           error == std::errc::operation_not_permitted || error == std::errc::is_a_directory ||
           error == std::errc::filename_too_long || error == std::errc::invalid_argument ||
           error == std::errc::no_such_device_or_address || error == std::errc::no_such_device;
}

/// Of what the system said when a file could not be made or written.
inline const char* write_hint_for(const std::error_code& error) {
    return error == std::errc::file_too_large ? file_limit_hint : too_many_are_open(error) ? open_files_hint : write_hint;
}
inline const char* write_hint_for(int code) { return write_hint_for(std::error_code(code, std::generic_category())); }

}  // namespace parallax::io
