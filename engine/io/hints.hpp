// What to try where a file cannot be written.
#pragma once

namespace parallax::io {

/// Where a limit on the length of files is met (EFBIG), the disk has room.
constexpr const char* file_limit_hint =
    "files may not be longer than this here: raise --limit output=SIZE where it is given, or ulimit -f";

constexpr const char* write_hint = "see whether the disk is full and the folder may be written";

}  // namespace parallax::io
