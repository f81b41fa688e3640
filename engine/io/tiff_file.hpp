// libtiff on our own files, its messages kept with the file: nothing on stderr, no global handler.
#pragma once

#include <tiffio.h>

#include <memory>
#include <string>

#include "io/file.hpp"

namespace parallax::io::tiff {

class TiffFile {
public:
    static TiffFile open(const std::filesystem::path&);
    /// `big`: BigTIFF, for files that may pass 4 GB.
    static TiffFile create(const std::filesystem::path&, bool big);

    TIFF* handle() const noexcept { return tiff_.get(); }
    File& file() const noexcept { return state_->file; }
    /// The first error since the last call; empty: none.
    std::string take_error() const;
    /// Writes what libtiff still holds and closes the file; throws if any of it failed.
    void close();

private:
    struct State {
        File file;
        std::string error;
    };
    struct Close {
        void operator()(TIFF* tiff) const noexcept { TIFFClose(tiff); }
    };

    TiffFile(File, const char* mode);
    static int on_error(TIFF*, void* state, const char* module, const char* format, va_list) noexcept;

    std::unique_ptr<State> state_;  // outlives tiff_, which calls back into it
    std::unique_ptr<TIFF, Close> tiff_;
};

}  // namespace parallax::io::tiff
