#include "job/output_places.hpp"

#include "job/paths.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <system_error>

namespace parallax::engine {

namespace fs = std::filesystem;

OutputPlaces::OutputPlaces(const std::vector<PreparedInput>& inputs) : inputs_(inputs) {}

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

void OutputPlaces::check_inputs(const OutputSpec& output, const fs::path& path, const fs::path& place) {
    std::error_code ignored;
    if (!fs::exists(place, ignored)) return;   // it is no input, and none lies in it
    if (!known_) {
        known_.emplace();
        for (const PreparedInput& input : inputs_)
            for (const fs::path& file : input.files) known_->add(file);
    }
    // A store is replaced, or comes, with all that is in it.
    if (known_->has(path))
        throw ConfigError(output.pointer, fmt::format("the input {}", to_utf8(path)), "a file that the job does not read");
    if (const fs::path* const inside = known_->inside(place))
        throw ConfigError(output.pointer, fmt::format("{}, in which the input {} lies", to_utf8(path), to_utf8(*inside)),
                          "a place that the job does not read");
}

void OutputPlaces::take(const OutputSpec& output, const fs::path& path) {
    const fs::path place = place_of(path, output.pointer);
    check_inputs(output, path, place);
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
