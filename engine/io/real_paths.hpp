// Where files lie, and not how their paths are written.
#pragma once

#include "support/mounts.hpp"

#include <filesystem>
#include <unordered_map>

namespace parallax::io {

/// Paths with every link on the way to their folders followed; those of folders that are mounted twice, by what was mounted first.
/// A folder is looked at once.
class RealPaths {
public:
    std::filesystem::path of(const std::filesystem::path& file);

private:
    host::Mounts mounts_;
    std::unordered_map<std::filesystem::path::string_type, std::filesystem::path> folders_;   ///< as they are written
};

}  // namespace parallax::io
