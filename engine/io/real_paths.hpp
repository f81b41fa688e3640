// Where files lie, and not how their paths are written.
#pragma once

#include <filesystem>
#include <unordered_map>

namespace parallax::io {

/// Paths with every link on the way to their folders followed. A folder is looked at once.
class RealPaths {
public:
    std::filesystem::path of(const std::filesystem::path& file);

private:
    std::unordered_map<std::filesystem::path::string_type, std::filesystem::path> folders_;   ///< as they are written
};

}  // namespace parallax::io
