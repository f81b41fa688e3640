#include "tune/files.hpp"

#include "io/io.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"
#include "support/file_lock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace parallax::engine::tune {

namespace fs = std::filesystem;

namespace {

bool is_of(const TunedPolicy& entry, const TunedDevice& device, const WorkClass& work) {
    return entry.device.backend == device.backend && entry.device.name == device.name &&
           entry.device.platform == device.platform && entry.work == work;
}

/// What is found is written to the file of its algorithm's name, in the place of what stands there.
void refuse_misnamed(const Tuning& folder) {
    for (const TuningFile& file : folder.files())
        if (const fs::path path = path_from(file.origin); to_utf8(path.stem()) != file.algorithm)
            throw ConfigError("--out", fmt::format("{}, which is of the algorithm {}", file.origin, file.algorithm),
                              fmt::format("a folder whose files have the names of their algorithms: {}.json", file.algorithm),
                              "give it its name, or take it away");
}

/// Another process that tunes into the folder has it for as long as it takes to write a file.
std::optional<host::FileLock> lock_of(const fs::path& folder) {
    if (auto lock = host::FileLock::take_folder(folder, host::FileLock::Kind::exclusive, std::chrono::seconds(10))) return lock;
    throw IoError(to_utf8(folder), "is locked by another process for ten seconds", "see what tunes there, and end it");
}

}  // namespace

Files::Files(fs::path folder, const std::vector<Algorithm>& algorithms) : folder_(std::move(folder)), algorithms_(algorithms) {
    std::error_code code;
    if (!fs::exists(folder_, code)) return;
    if (!fs::is_directory(folder_, code))
        throw ConfigError("--out", to_utf8(folder_) + ", which is no folder", "a folder, or a name that is free");
    const Tuning there = Tuning::from_folder(folder_, algorithms);
    refuse_misnamed(there);
    for (const TuningFile& file : there.files()) files_.emplace(file.algorithm, file);
}

void Files::require_writable() const { writable_ancestor(folder_ / "ALGORITHM.json", "--out"); }

void Files::make_folder() const {
    std::error_code code;
    fs::create_directories(folder_, code);
    if (code)
        throw ConfigError("--out", fmt::format("{}, which cannot be made: {}", to_utf8(folder_), code.message()),
                          "a folder that can be written");
}

const TunedPolicy* Files::find(const std::string& algorithm, const TunedDevice& device, const WorkClass& work,
                               const std::string& variant) const {
    const auto file = files_.find(algorithm);
    if (file == files_.end()) return nullptr;
    const auto found = std::find_if(file->second.entries.begin(), file->second.entries.end(),
                                    [&](const TunedPolicy& e) { return is_of(e, device, work) && e.variant == variant; });
    return found == file->second.entries.end() ? nullptr : &*found;
}

void Files::put(const std::string& algorithm, TunedPolicy entry) {
    change(algorithm, [&](TuningFile& file) { file.put(std::move(entry)); });
}

void Files::crown(const std::string& algorithm, const TunedDevice& device, const WorkClass& work, const std::string& variant) {
    if (files_.find(algorithm) == files_.end()) return;
    change(algorithm, [&](TuningFile& file) {
        for (TunedPolicy& entry : file.entries)
            if (is_of(entry, device, work)) entry.best = entry.variant == variant;
    });
}

void Files::change(const std::string& algorithm, const std::function<void(TuningFile&)>& how) {
    make_folder();
    const auto alone = lock_of(folder_);
    const fs::path path = folder_ / path_from(algorithm + ".json");
    TuningFile& file = files_.try_emplace(algorithm, TuningFile{algorithm, {}}).first->second;
    if (std::error_code none; fs::exists(path, none)) {
        const Tuning there = Tuning::from_folder(folder_, algorithms_);   // as another process has left it
        refuse_misnamed(there);
        file = {algorithm, {}};
        for (const TuningFile& one : there.files())
            if (one.algorithm == algorithm) file = one;
    }
    how(file);
    io::write_json(path, file.to_json(), true);
}

}  // namespace parallax::engine::tune
