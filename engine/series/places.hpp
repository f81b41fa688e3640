// Places of a series' outputs, also on file systems that hold two names for one ("A" and "a", or the two ways in which Unicode
// writes a letter with its accent).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace parallax::engine::series {

/// Places, each of one owner.
class Places {
public:
    /// Below `top`, in which and below which (or, where it is not there yet, in the nearest folder above) two names may be one: that
    /// is tried, where `tries`, with a hidden file that goes again; else names that differ are two.
    Places(bool tries, std::filesystem::path top) : tries_(tries), top_(std::move(top)) {}
    /// Whose the place is already; else it is the owner's from now on, and nothing comes back.
    const std::size_t* take(const std::filesystem::path& real, std::size_t owner);
    /// A place that lies in another, as a file in a store: both. Empty: there is none.
    std::pair<std::filesystem::path, std::filesystem::path> nested() const;

private:
    bool are_one(const std::filesystem::path& a, const std::filesystem::path& b);
    bool folds(const std::filesystem::path& folder);
    /// Of the folder and those that it lies in, one holds some names for one.
    bool may_fold(const std::filesystem::path& folder);

    bool tries_;
    std::filesystem::path top_;
    std::map<std::filesystem::path, bool> folds_;   ///< folders that hold some names for one
    std::map<std::filesystem::path, bool> may_fold_;
    std::unordered_map<std::string, std::size_t> owners_;
    std::unordered_multimap<std::string, std::filesystem::path> alike_;   ///< by what a file system may make of their names
};

}  // namespace parallax::engine::series
