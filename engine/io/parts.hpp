// Other files that a file names: detached voxels, the slices of a volume.
#pragma once

#include "io/format.hpp"

#include <optional>

namespace parallax::io {

struct Part {
    FilePart part;
    host::OpenedFile opened{};   ///< held for as long as it is read
    std::uint64_t bytes = 0;     ///< its length
};

/// A file in the folder of the source or below it, by the name that the source gives. Throws IoError for one that leads
/// elsewhere, or is not there.
Part open_part(const Source&, std::string_view name);

/// A file beside the source, of a confined job as that may look for it; none: there is no such file.
std::optional<host::OpenedFile> open_if_there(const Source&, const std::filesystem::path& name);

/// The names that a pattern stands for, as C's printf() would write them: "slice%03d.raw 1 50 1" (first, last, step); "%d" counts
/// too. Throws IoError where it is another pattern, or one of more than `most_parts` names.
std::vector<std::string> names_by_pattern(const Source&, std::string_view pattern);
inline constexpr std::size_t most_parts = 4096;

}   // namespace parallax::io
