#include "job/output_places.hpp"

#include "job/paths.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <system_error>

namespace parallax::engine {

namespace fs = std::filesystem;

fs::path OutputPlaces::place_of(const fs::path& path, const std::string& pointer) const {
    std::error_code unreachable;
    const fs::path place = fs::weakly_canonical(path, unreachable);
    if (unreachable)
        throw ConfigError(pointer, fmt::format("{}, which cannot be reached: {}", to_utf8(path), unreachable.message()),
                          "a path to a folder that is there or can be made",
                          unreachable == std::errc::permission_denied
                              ? "ask for the right to enter the folders on the way"
                              : "links in a circle lead nowhere, and systems have a longest path");
    return mounts_.first_path(place);
}

void OutputPlaces::take(const OutputSpec& output, const fs::path& path) {
    const fs::path place = place_of(path, output.pointer);
    if (const auto found = read_.at(path))
        throw ConfigError(output.pointer, fmt::format("{}, {}", to_utf8(path), found->in_words()),
                          "a place that the job does not read");
    const auto beside = [&](const fs::path& other) {
        throw ConfigError(output.pointer, fmt::format("{} beside the output {}", to_utf8(path), to_utf8(other)),
                          "outputs of which none lies in another");
    };
    if (const fs::path* const inside = taken_.inside(place)) beside(*inside);
    for (fs::path above = place.parent_path(); above.has_relative_path(); above = above.parent_path())
        if (const fs::path* const outer = taken_.find(above)) beside(*outer);
    const bool again = taken_.find(place) != nullptr;
    taken_.add(place, place);
    if (again)
        throw ConfigError(output.pointer, fmt::format("the file {} a second time", to_utf8(path)), "a file of its own");
}

}  // namespace parallax::engine
