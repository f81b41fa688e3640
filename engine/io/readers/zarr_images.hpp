// The image of an OME-Zarr that an array is a level of.
#pragma once

#include <filesystem>
#include <optional>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::zarr {

/// Whether a group says that it holds images.
bool has_images(const Json& attributes);

struct ImageLevel {
    std::filesystem::path group;
    Json attributes, scales, level;   ///< the group's, the image's among them, and what that says of the array
};
/// Of an array by its path in the store: in the group that it lies in or in one above, the image that names it as a level. Nothing
/// where none does. Groups above the store are another's, and are not looked at.
std::optional<ImageLevel> image_around(const std::filesystem::path& store, const std::filesystem::path& array);

}   // namespace parallax::io::readers::zarr
