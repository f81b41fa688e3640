// The folders that a series writes to, known by more than their paths: these may lead elsewhere, or nowhere, while it runs.
#pragma once

#include "support/folder.hpp"

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::series {

class KnownFolders {
public:
    struct Place {
        std::filesystem::path path;
        std::string what;   ///< for people: "the folder of outputs"
    };
    /// Outer ones first: what is told is the first that has gone.
    explicit KnownFolders(const std::vector<Place>&);

    /// From now on those that are there are known; others when they are there. Safe in any thread, as is look().
    void learn();
    /// Throws IoError where the path of one that is known leads to no folder, or to another.
    void look() const;

private:
    struct Known {
        Place place;
        std::filesystem::path absolute;
        std::optional<host::Folder> folder;   ///< held, so that no other gets its number
    };
    mutable std::mutex mutex_;
    std::vector<Known> known_;
};

}  // namespace parallax::engine::series
