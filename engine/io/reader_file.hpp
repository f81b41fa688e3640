// Formats whose libraries are heavy: read by programs of their own beside ours (io/readers), started when such a file is asked
// for.
#pragma once

#include "io/format.hpp"
#include "support/child.hpp"

namespace parallax::io {

/// A reader by its name, what it reads, and the package that it is built with: {"hdf5", "an HDF5 file", "libhdf5-dev"}.
struct ReaderOf {
    const char* name;
    const char* what;
    const char* package;
    bool in_order = false;   ///< a page before the last that was read costs all before it
};

/// A path as another process can open it: a descriptor of ours is one of this process's to it.
std::string path_for_child(const std::filesystem::path&);
/// A program that writes the file `name`, which an IoError speaks of where the program cannot be started.
host::Child writer_for(const std::string& name, const host::Child::Options&);

/// What the reader says of a file. Throws IoError, for a reader that is not there with what to install.
FileInfo reader_info(const Source&, const ReaderOf&);
HostArray reader_read(const Source&, const ReaderOf&);
/// Empty where the program is there that writes such files, too.
std::string why_not_written(const ReaderOf&);
/// A new file by it; `more`: what it has to know besides.
void write_by_reader(const std::filesystem::path&, const std::string& name, const HostArray&, const ReaderOf&,
                     const Json& more = Json::object());

}   // namespace parallax::io
