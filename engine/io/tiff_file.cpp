#include "io/tiff_file.hpp"

#include <fmt/format.h>

#include <cstdarg>
#include <cstdio>
#include <new>
#include <string_view>
#include <utility>

#include "parallax/host/error.hpp"

namespace parallax::io::tiff {
namespace {

int on_close(thandle_t) { return 0; }   // the owner closes, so that a failure can be reported
int no_map(thandle_t, void**, toff_t*) { return 0; }
void no_unmap(thandle_t, void*, toff_t) {}

/// The first message of its kind. Where there is no memory for it, only the reason is lost.
void keep(std::string& first, const char* format, va_list arguments) noexcept {
    if (!first.empty()) return;
    char text[300];
    std::vsnprintf(text, sizeof text, format, arguments);
    try {
        first = text;
    } catch (const std::bad_alloc&) {
        first = "damaged";   // short enough to need none
    }
}

/// Of warnings in decoding: those of fax codes, of a JPEG stream of another size, and libjpeg's own. Others are of what is unusual.
bool loses_pixels(std::string_view text) {
    if (text.find("extraneous bytes") != std::string_view::npos) return false;   // between segments
    for (const std::string_view words : {"Bad code word", "Premature E", "Line length mismatch", "Improper JPEG strip/tile size",
                                         "Corrupt JPEG data", "Premature end of JPEG", "Inconsistent progression", "Invalid SOS parameters"})
        if (text.find(words) != std::string_view::npos) return true;
    return false;
}

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
    keep(static_cast<State*>(state)->error, format, arguments);
    return 1;  // handled: not to the global handler, which prints
}

int TiffFile::on_warning(TIFF*, void* state, const char*, const char* format, va_list arguments) noexcept {
    std::string text;
    keep(text, format, arguments);   // libjpeg's come as arguments
    std::string& loss = static_cast<State*>(state)->loss;
    if (loss.empty() && loses_pixels(text)) loss.swap(text);
    return 1;
}

TiffFile::TiffFile(State state) : state_(new State(std::move(state))) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
    if (!options) throw std::bad_alloc();
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, state_.get());
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, state_.get());
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
    return TiffFile({std::move(file), {}, {}, std::move(chain)});
}

TiffFile TiffFile::open(const std::filesystem::path& path, Chain chain) {
    return TiffFile({File::open(path), {}, {}, std::move(chain)});
}

std::string TiffFile::take_error() const { return std::exchange(state_->error, {}); }

}  // namespace parallax::io::tiff
