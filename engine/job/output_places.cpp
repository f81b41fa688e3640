#include "job/output_places.hpp"

#include "job/paths.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

/// A store is replaced, or comes, with all that is in it.
bool lies_in(const fs::path& file, const fs::path& folder) {
    const auto [f, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    return f == folder.end() && rest != file.end();
}

fs::path place_of(const fs::path& path, const std::string& pointer) {
    std::error_code unreachable;
    const fs::path place = fs::weakly_canonical(path, unreachable);
    if (unreachable)
        throw ConfigError(pointer, fmt::format("{}, which cannot be reached: {}", to_utf8(path), unreachable.message()),
                          "a path to a folder that is there or can be made",
                          unreachable == std::errc::permission_denied
                              ? "ask for the right to enter the folders on the way"
                              : "links in a circle lead nowhere, and systems have a longest path");
    return place;
}

}  // namespace

OutputPlaces::OutputPlaces(const std::vector<PreparedInput>& inputs) : inputs_(inputs) {}

void OutputPlaces::check_inputs(const OutputSpec& output, const fs::path& path, const fs::path& place) {
    std::error_code ignored;
    if (!fs::exists(place, ignored)) return;   // it is no input, and none lies in it
    if (files_by_place_.empty()) {
        for (const PreparedInput& input : inputs_) {
            for (const fs::path& file : input.files) {
                files_.add(file);
                files_by_place_.emplace(fs::weakly_canonical(file, ignored), file);
            }
        }
    }
    if (files_.has(path) || files_by_place_.contains(place))   // not every file system has numbers
        throw ConfigError(output.pointer, fmt::format("the input {}", to_utf8(path)), "a file that the job does not read");
    // Paths are in the order of their parts: what lies in this one comes next.
    const auto inside = files_by_place_.upper_bound(place);
    if (inside != files_by_place_.end() && lies_in(inside->first, place))
        throw ConfigError(output.pointer,
                          fmt::format("{}, in which the input {} lies", to_utf8(path), to_utf8(inside->second)),
                          "a place that the job does not read");
}

void OutputPlaces::take(const OutputSpec& output, const fs::path& path) {
    const fs::path place = place_of(path, output.pointer);
    check_inputs(output, path, place);
    const auto beside = [&](const fs::path& other) {
        throw ConfigError(output.pointer, fmt::format("{} beside the output {}", to_utf8(path), to_utf8(other)),
                          "outputs of which none lies in another");
    };
    if (const auto next = taken_.upper_bound(place); next != taken_.end() && lies_in(*next, place)) beside(*next);
    for (fs::path above = place.parent_path(); above.has_relative_path(); above = above.parent_path())
        if (taken_.contains(above)) beside(above);
    if (!taken_.insert(place).second)
        throw ConfigError(output.pointer, fmt::format("the file {} a second time", to_utf8(path)), "a file of its own");
}

}  // namespace parallax::engine
