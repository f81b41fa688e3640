#include "io/tiff_file.hpp"

#include <fmt/format.h>

#include <cstdarg>
#include <cstdio>
#include <new>
#include <utility>

#include "parallax/host/error.hpp"

namespace parallax::io::tiff {
namespace {

File& file_of(thandle_t state) { return *static_cast<File*>(state); }

tmsize_t on_read(thandle_t state, void* to, tmsize_t bytes) {
    return static_cast<tmsize_t>(file_of(state).read_some(to, static_cast<std::size_t>(bytes)));
}
tmsize_t on_write(thandle_t state, void* from, tmsize_t bytes) {
    return file_of(state).try_write(from, static_cast<std::size_t>(bytes)) ? bytes : -1;
}
toff_t on_seek(thandle_t state, toff_t offset, int origin) {
    if (!file_of(state).try_seek(static_cast<std::int64_t>(offset), origin)) return static_cast<toff_t>(-1);
    return static_cast<toff_t>(file_of(state).tell());
}
int on_close(thandle_t) { return 0; }  // the owner closes, so that a failure can be reported
toff_t on_size(thandle_t state) {
    File& file = file_of(state);
    const std::int64_t here = file.tell();
    file.try_seek(0, SEEK_END);
    const std::int64_t end = file.tell();
    file.try_seek(here, SEEK_SET);
    return static_cast<toff_t>(end);
}
int no_map(thandle_t, void**, toff_t*) { return 0; }
void no_unmap(thandle_t, void*, toff_t) {}
int no_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

}  // namespace

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

TiffFile::TiffFile(File file, const char* mode) : state_(new State{std::move(file), {}}) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
    if (!options) throw std::bad_alloc();
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, state_.get());
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), no_warning, nullptr);
    // Nothing inside libtiff needs more than a strip as it is stored, or a row of it; a lying header may ask for more.
    const std::uint64_t most = (std::uint64_t{256} << 20) + 2 * state_->file.size();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(most));
    tiff_.reset(TIFFClientOpenExt(state_->file.name().c_str(), mode, &state_->file, on_read, on_write, on_seek, on_close, on_size,
                                  no_map, no_unmap, options.get()));
    if (!tiff_) {
        throw IoError(state_->file.name(), fmt::format("is a damaged TIFF file: {}", state_->error),
                      "write or copy the file again");
    }
}

TiffFile TiffFile::open(const std::filesystem::path& path) { return TiffFile(File::open(path), "rmc"); }

TiffFile TiffFile::create(const std::filesystem::path& path, bool big) {
    return TiffFile(File::create(path), big ? "w8m" : "wm");
}

std::string TiffFile::take_error() const { return std::exchange(state_->error, {}); }

void TiffFile::close() {
    tiff_.reset();
    state_->file.close();
    if (!state_->error.empty()) throw IoError(state_->file.name(), fmt::format("cannot be written: {}", state_->error));
}

}  // namespace parallax::io::tiff
