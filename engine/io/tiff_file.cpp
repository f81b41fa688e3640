#include "io/tiff_file.hpp"

#include <fmt/format.h>

#include <cstdarg>
#include <cstdio>
#include <new>
#include <utility>

#include "parallax/host/error.hpp"

namespace parallax::io::tiff {
namespace {

int on_close(thandle_t) { return 0; }   // the owner closes, so that a failure can be reported
int no_map(thandle_t, void**, toff_t*) { return 0; }
void no_unmap(thandle_t, void*, toff_t) {}
int no_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

}   // namespace

// libtiff sees no directory but the one that it is told to read. It keeps a list of those that it has met, and looks through all
// of it for each one more: a million pages would take hours.
tmsize_t TiffFile::on_read(thandle_t state, void* to, tmsize_t bytes) {
    State& at = state_of(state);
    const auto position = static_cast<std::uint64_t>(at.file.tell());
    const std::size_t got = at.file.read_some(to, static_cast<std::size_t>(bytes));
    at.chain.hide_links(position, to, got);
    return static_cast<tmsize_t>(got);
}

tmsize_t TiffFile::on_write(thandle_t, void*, tmsize_t) { return -1; }   // files are only read by libtiff (tiff_write.cpp)

toff_t TiffFile::on_seek(thandle_t state, toff_t offset, int origin) {
    File& file = state_of(state).file;
    if (!file.try_seek(static_cast<std::int64_t>(offset), origin)) return static_cast<toff_t>(-1);
    return static_cast<toff_t>(file.tell());
}

toff_t TiffFile::on_size(thandle_t state) {
    State& at = state_of(state);
    File& file = at.file;
    if (!at.chain.directories.empty()) return static_cast<toff_t>(file.size());   // libtiff asks for each directory
    const std::int64_t here = file.tell();
    file.try_seek(0, SEEK_END);
    const std::int64_t end = file.tell();
    file.try_seek(here, SEEK_SET);
    return static_cast<toff_t>(end);
}

int TiffFile::on_error(TIFF*, void* state, const char*, const char* format, va_list arguments) noexcept {
    auto& error = static_cast<State*>(state)->error;
    if (error.empty()) {
        char text[300];
        std::vsnprintf(text, sizeof text, format, arguments);
        try {
            error = text;
        } catch (const std::bad_alloc&) {
            // The call fails all the same; only its reason is lost.
        }
    }
    return 1;  // handled: not to the global handler, which prints
}

TiffFile::TiffFile(State state) : state_(new State(std::move(state))) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
    if (!options) throw std::bad_alloc();
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, state_.get());
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), no_warning, nullptr);
    // Nothing inside libtiff needs more than a strip as it is stored, or a row of it; a lying header may ask for more.
    const std::uint64_t most = (std::uint64_t{256} << 20) + 2 * state_->file.size();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(most));
    // h: the header alone.
    tiff_.reset(TIFFClientOpenExt(state_->file.name().c_str(), "rmch", state_.get(), on_read, on_write, on_seek, on_close,
                                  on_size, no_map, no_unmap, options.get()));
    if (!tiff_) {
        throw IoError(state_->file.name(), fmt::format("is a damaged TIFF file: {}", state_->error),
                      "write or copy the file again");
    }
}

TiffFile TiffFile::open(File file) {
    Chain chain = walk_chain(file);
    return TiffFile({std::move(file), {}, std::move(chain)});
}

TiffFile TiffFile::open(const std::filesystem::path& path, Chain chain) {
    return TiffFile({File::open(path), {}, std::move(chain)});
}

std::string TiffFile::take_error() const { return std::exchange(state_->error, {}); }

}  // namespace parallax::io::tiff
