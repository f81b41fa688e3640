#include "io/readers/zarr_images.hpp"

#include "io/readers/zarr_store.hpp"

namespace parallax::io::readers::zarr {

namespace fs = std::filesystem;

namespace {

/// Without what leads nowhere: dots, and a slash at the end.
fs::path plain(const fs::path& path) {
    const fs::path normal = path.relative_path().lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
}

const Json* level_named(const Json& image, const fs::path& path) {
    if (!image.is_object() || !image.contains("datasets") || !image["datasets"].is_array()) return nullptr;
    for (const Json& level : image["datasets"]) {
        const bool named = level.is_object() && level.contains("path") && level["path"].is_string();
        if (named && plain(level["path"].get<std::string>()) == path) return &level;
    }
    return nullptr;
}

}   // namespace

bool has_images(const Json& attributes) {
    return attributes.is_object() && attributes.contains("multiscales") && attributes["multiscales"].is_array() &&
           !attributes["multiscales"].empty();
}

std::optional<ImageLevel> image_around(const fs::path& store, const fs::path& array) {
    fs::path above = plain(array), inside;
    while (!above.empty() && above != ".") {
        inside = inside.empty() ? above.filename() : above.filename() / inside;
        above = above.parent_path();
        const fs::path group = store / above;
        const Json attributes = json_file(group / ".zattrs");
        if (!has_images(attributes)) continue;
        for (const Json& image : attributes["multiscales"])
            if (const Json* const level = level_named(image, inside)) return ImageLevel{group, attributes, image, *level};
    }
    return std::nullopt;
}

}   // namespace parallax::io::readers::zarr
