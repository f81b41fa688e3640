#include "tune/files.hpp"

#include "io/io.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::tune {

namespace fs = std::filesystem;

namespace {

bool is_of(const TunedPolicy& entry, const TunedDevice& device, const WorkClass& work) {
    return entry.device.backend == device.backend && entry.device.name == device.name &&
           entry.device.platform == device.platform && entry.work == work;
}

}  // namespace

Files::Files(fs::path folder, const std::vector<Algorithm>& algorithms) : folder_(std::move(folder)) {
    std::error_code code;
    if (!fs::exists(folder_, code)) return;
    if (!fs::is_directory(folder_, code))
        throw ConfigError("--out", to_utf8(folder_) + ", which is no folder", "a folder, or a name that is free");
    const Tuning there = Tuning::from_folder(folder_, algorithms);
    for (const TuningFile& file : there.files()) files_.emplace(file.algorithm, file);
}

void Files::require_writable() const { writable_ancestor(folder_ / "algorithm.json", "--out"); }

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
    TuningFile& file = files_.try_emplace(algorithm, TuningFile{algorithm, {}}).first->second;
    file.put(std::move(entry));
    write(algorithm);
}

void Files::crown(const std::string& algorithm, const TunedDevice& device, const WorkClass& work, const std::string& variant) {
    const auto file = files_.find(algorithm);
    if (file == files_.end()) return;
    for (TunedPolicy& entry : file->second.entries)
        if (is_of(entry, device, work)) entry.best = entry.variant == variant;
    write(algorithm);
}

void Files::write(const std::string& algorithm) const {
    io::write_json(folder_ / path_from(algorithm + ".json"), files_.at(algorithm).to_json(), true);
}

}  // namespace parallax::engine::tune
