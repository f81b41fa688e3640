#include "job/files_of_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

bool reads_store(const PreparedInput& input) {
    return std::any_of(input.infos.begin(), input.infos.end(), [](const io::FileInfo& info) { return info.format.ends_with("zarr"); });
}

void add_to(std::optional<io::KnownFiles>& files, const fs::path& file) {
    if (!files) files.emplace();   // it looks at what is mounted
    files->add(file);
}

}  // namespace

FilesOfRun::FilesOfRun(const Prepared& prepared)
    : FilesOfRun(
          [&prepared](FilesOfRun& files) {
              files.add(prepared.own);
              for (const PreparedInput& input : prepared.inputs) files.add(input);
          },
          std::any_of(prepared.inputs.begin(), prepared.inputs.end(), reads_store)) {}

void FilesOfRun::add(const std::vector<OwnFile>& own) {
    for (const OwnFile& file : own) add_to(files_, file.path);
    own_.insert(own_.end(), own.begin(), own.end());
}

void FilesOfRun::add_input(const fs::path& file) {
    add_to(files_, file);
    if (stores_ && io::is_store(file)) add_to(input_stores_, file);
}

void FilesOfRun::add(const PreparedInput& input) {
    for (const fs::path& file : input.files) add_input(file);
    for (const io::FileInfo& info : input.infos)
        for (const io::FilePart& part : info.parts) add_to(files_, part.path);
}

/// Of any store: whether it is an input's is asked then.
bool FilesOfRun::lies_in_store(const fs::path& path) {
    if (!stores_) return false;
    const auto [known, fresh] = in_store_.try_emplace(path.parent_path().native(), false);
    if (!fresh) return known->second;
    std::error_code unknown;
    fs::path above = fs::weakly_canonical(fs::absolute(path, unknown), unknown).parent_path();
    for (; !known->second && above.has_relative_path(); above = above.parent_path()) known->second = io::is_store(above);
    return known->second;
}

std::string FilesOfRun::what_is(const fs::path& file) const {
    const auto own = std::find_if(own_.begin(), own_.end(), [&](const OwnFile& one) { return io::lead_to_one(one.path, file); });
    return own == own_.end() ? an_input : own->what;
}

std::optional<FilesOfRun::Found> FilesOfRun::at(const fs::path& written) {
    std::error_code unknown;
    // "new/../job.json" leads nowhere until the run makes the folder "new", and to the job from then on.
    const bool goes_up = std::find(written.begin(), written.end(), "..") != written.end();
    const bool later = goes_up && !fs::exists(written, unknown);
    const fs::path path = later ? fs::weakly_canonical(fs::absolute(written, unknown), unknown) : written;
    const bool is_there = fs::exists(path, unknown), in_store = lies_in_store(path);
    if (!is_there && !in_store) return std::nullopt;   // it is none of them, and none lies in it
    if (gather_) std::exchange(gather_, {})(*this);
    if (is_there && files_) {
        if (files_->has(path)) return Found{Found::How::is, path, what_is(path)};
        if (const fs::path* const inside = files_->inside(path)) return Found{Found::How::holds, *inside, what_is(*inside)};
    }
    if (const fs::path* const store = in_store && input_stores_ ? input_stores_->around(path) : nullptr)
        return Found{Found::How::lies_in, *store, an_input};
    return std::nullopt;
}

std::string FilesOfRun::Found::in_words() const {
    if (how == How::is) return "which is " + what;
    const std::string_view one = what == an_input ? "the input" : std::string_view(what);
    return how == How::holds ? fmt::format("in which {} {} lies", one, to_utf8(file)) : fmt::format("which lies in {} {}", one, to_utf8(file));
}

}  // namespace parallax::engine
