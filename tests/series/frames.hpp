// A folder of small frames, a job over them, and what the outputs must be.
#pragma once

#include "jobs/support.hpp"

#include "parallax/host/json.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace parallax::tests {

/// Frame i of 16 x 12 pixels, a pattern of its own.
inline HostArray frame(int i) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 12}, {'x', 16}}));
    std::uint32_t state = 2654435761u * static_cast<std::uint32_t>(i + 1);
    for (std::int64_t n = 0; n < array.desc.count(); ++n) {
        state = state * 1664525u + 1013904223u;
        array.as<std::uint8_t>()[n] = static_cast<std::uint8_t>(state >> 25);   // below 128
    }
    return array;
}

inline std::string frame_name(int i) { return fmt::format("f{:03}", i); }

inline void write_frames(const fs::path& folder, int count) {
    for (int i = 0; i < count; ++i) io::write(folder / (frame_name(i) + ".tif"), frame(i));
}

/// frames/*.tif + 1 -> out/<stem>.npy, a table of statistics.
inline Json frames_job() {
    return Json::parse(R"({
        "parallax": 1,
        "for_each": {"frame": "frames/*.tif", "on_error": "continue"},
        "inputs": {"image": "{frame}"},
        "steps": [{"id": "add", "run": "arithmetic", "value": 1, "out": {"image": "sum"}},
                  {"run": "reduce", "in": {"array": "sum"}}],
        "outputs": {"sum": "sums/{frame.stem}.npy", "statistics": {"table": "statistics.csv"}}})");
}

/// Frames 0 to n - 1 in frames/, and job.json.
struct Folder : TempFolder {
    explicit Folder(int frames, const Json& job = frames_job()) {
        fs::create_directory(path() / "frames");
        write_frames(path() / "frames", frames);
        write_text(path() / "job.json", job.dump());
    }
};

/// Runs a shell line in `folder` with the program as $P; its exit status.
inline int shell(const fs::path& folder, const std::string& line) {
    const int status = std::system(fmt::format("cd '{}' || exit 99; P='{}'; {}", folder.string(), std::getenv("PARALLAX_BIN"), line).c_str());
    return status > 255 ? status / 256 : status;
}

/// The bytes of every file below a folder, by name; what manifests hold is left out.
inline std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().lexically_relative(folder).generic_string();
        if (entry.is_regular_file() && !contains(name, ".series/")) files[name] = read_text(entry.path());
    }
    return files;
}

/// How often a manifest has recorded each item as "done" or as "failed".
inline std::map<std::string, int> recorded(const fs::path& manifest, const std::string& state) {
    std::map<std::string, int> times;
    if (!fs::is_directory(manifest)) return times;
    for (const auto& entry : fs::directory_iterator(manifest)) {
        if (!entry.path().filename().string().starts_with("items-")) continue;
        std::istringstream lines(read_text(entry.path()));
        for (std::string line; std::getline(lines, line) && !lines.eof();) {
            const Json record = Json::parse(line.substr(17), nullptr, false);
            if (!record.is_discarded() && record.value("state", "") == state) ++times[record["item"].get<std::string>()];
        }
    }
    return times;
}
inline std::map<std::string, int> times_done(const fs::path& manifest) { return recorded(manifest, "done"); }

inline Run run_job(const fs::path& folder, const std::string& out, std::vector<std::string> more = {},
                   const std::string& device = "native") {
    std::vector<std::string> arguments{"run", "job.json", "--out", out, "--device", device};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, folder);
}

}  // namespace parallax::tests
