// What processes that are no more have left half done where inputs lie: it is finished or undone before they are looked at.
#pragma once

#include "job/confinement.hpp"

#include <filesystem>
#include <unordered_set>

namespace parallax::engine {

/// Each folder is looked at once, as a job may name files by the hundred thousand.
class InputFolders {
public:
    /// Of a confined job: what its confinement does not hold is not looked at.
    explicit InputFolders(const Confinement* confinement = nullptr) : confinement_(confinement) {}

    /// io::recover(). Returns whether it is the first time.
    bool recover(const std::filesystem::path& folder);
    /// The same where a file lies and, of a link, where what it leads to lies. A confinement follows links itself when it opens a
    /// file.
    bool recover_of(const std::filesystem::path& file);

private:
    const Confinement* confinement_;
    std::unordered_set<std::filesystem::path::string_type> known_;
};

}  // namespace parallax::engine
