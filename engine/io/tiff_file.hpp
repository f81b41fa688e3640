// libtiff on our own files, its messages kept with the file: nothing on stderr, no global handler.
#pragma once

#include <tiffio.h>

#include <memory>
#include <string>
#include <utility>

#include "io/file.hpp"
#include "io/tiff_chain.hpp"

namespace parallax::io::tiff {

class TiffFile {
public:
    /// With its directories found and bounded. None is read yet: go_to() does that.
    static TiffFile open(File);
    /// The same file again, of which the directories are known.
    static TiffFile open(const std::filesystem::path&, Chain);

    TIFF* handle() const noexcept { return tiff_.get(); }
    File& file() const noexcept { return state_->file; }
    const Chain& chain() const noexcept { return state_->chain; }
    /// Of one that is closed next.
    Chain take_chain() noexcept { return std::move(state_->chain); }
    /// Directories that stand in no chain, before they are gone to. Throws IoError for what the chain's would be refused for.
    void bound_more(const std::vector<std::uint64_t>& directories) const {
        tiff::bound_more(state_->file, state_->chain, directories);
    }
    /// Reads the directory that stands there; false: take_error() says why it cannot be.
    bool go_to(std::uint64_t directory) const { return TIFFSetSubDirectory(tiff_.get(), directory) != 0; }
    /// The first error since the last call; empty: none.
    std::string take_error() const;
    /// Runs what decodes, and says whether it has. Returns why it has not, or has made other pixels than were meant: libtiff warns and
    /// goes on where a stream by JPEG or by a fax code is cut off, damaged or of another size than its strip. Empty: all is well.
    template <class Decode>
    std::string decode(const Decode& by_libtiff) const {
        state_->loss.clear();   // of its directory, which may say strange things
        const bool good = by_libtiff();
        std::string why = good ? std::string() : take_error();
        if (why.empty()) why = std::exchange(state_->loss, {});
        return good || !why.empty() ? why : "libtiff says no more";
    }

private:
    struct State {
        File file;
        std::string error{}, loss{};
        Chain chain{};   ///< of a file that is read
    };
    struct Close {
        void operator()(TIFF* tiff) const noexcept { TIFFClose(tiff); }
    };

    explicit TiffFile(State);
    static State& state_of(thandle_t state) { return *static_cast<State*>(state); }
    static tmsize_t on_read(thandle_t, void* to, tmsize_t bytes);
    static tmsize_t on_write(thandle_t, void* from, tmsize_t bytes);
    static toff_t on_seek(thandle_t, toff_t offset, int origin);
    static toff_t on_size(thandle_t);
    static int on_error(TIFF*, void* state, const char* module, const char* format, va_list) noexcept;
    static int on_warning(TIFF*, void* state, const char* module, const char* format, va_list) noexcept;

    std::unique_ptr<State> state_;  // outlives tiff_, which calls back into it
    std::unique_ptr<TIFF, Close> tiff_;
};

}  // namespace parallax::io::tiff
