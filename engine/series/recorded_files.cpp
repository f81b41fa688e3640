#include "series/recorded_files.hpp"

#include "parallax/host/error.hpp"

#include <algorithm>
#include <system_error>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

fs::path as_written(const fs::path& file) { return fs::absolute(file).lexically_normal(); }

/// Nothing: it is not there, or may not be opened.
std::optional<host::OpenedFile> opened_by(const Confinement& confinement, const FileState& file) {
    try {
        return confinement.open_if_there(path_from(file.path), "");
    } catch (const ConfigError&) {
        return std::nullopt;
    }
}

}  // namespace

RecordedFiles::RecordedFiles(const Locations& where, Looks looks) {
    if (looks == Looks::once) hashes_ = std::make_unique<KnownHashes>();
    if (!where.confined) return;
    confinement_.emplace(where);
    out_ = as_written(where.out.empty() ? "." : where.out);
}

bool RecordedFiles::may_read(const std::vector<FileState>& files) const {
    return !confinement_ || std::all_of(files.begin(), files.end(), [&](const FileState& file) {
        return confinement_->holds(path_from(file.path));
    });
}

fs::path RecordedFiles::place_of(const fs::path& file, bool confined) {
    return confined ? as_written(file) : series::place_of(file);
}

fs::path RecordedFiles::place_of(const fs::path& file) const {
    return place_of(file, confinement_.has_value());
}

bool RecordedFiles::is_there(const FileState& input) const {
    if (confinement_) return opened_by(*confinement_, input).has_value();
    std::error_code unseen;   // as of a confined job, of which what may not be opened is not there
    return fs::exists(fs::status(place_of(path_from(input.path)), unseen));
}

std::optional<FileState> RecordedFiles::renewed(const FileState& input) const {
    if (!confinement_) return renewed_at(place_of(path_from(input.path)), input, hashes_.get());
    const std::optional<host::OpenedFile> opened = opened_by(*confinement_, input);
    return opened ? renewed_at(opened->path(), input, hashes_.get()) : std::nullopt;
}

bool RecordedFiles::unchanged(const std::vector<FileState>& inputs) const {
    return std::all_of(inputs.begin(), inputs.end(), [this](const FileState& input) { return unchanged(input); });
}

bool RecordedFiles::output_unchanged(const FileState& output) const {
    if (!confinement_) return series::unchanged(output, hashes_.get());
    const fs::path relative = as_written(path_from(output.path)).lexically_relative(out_);
    try {
        const host::Folder folder = host::Folder::open_strictly(out_).below(relative.parent_path());
        std::error_code error;
        if (fs::is_directory(fs::symlink_status(folder / relative.filename(), error))) {   // a store
            const host::Folder store = folder.below(relative.filename());
            return unchanged_at(store / ".", output, hashes_.get());
        }
        return unchanged_at(folder.file(relative.filename()).path(), output, hashes_.get());
    } catch (const std::system_error&) {   // it is not there, or behind a link
        return false;
    }
}

}  // namespace parallax::engine::series
