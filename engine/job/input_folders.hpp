// What processes that are no more have left half done where inputs lie: it is finished or undone before they are looked at.
#pragma once

#include "job/confinement.hpp"
#include "job/pattern.hpp"

#include <filesystem>
#include <memory>
#include <unordered_set>
#include <utility>

namespace parallax::engine {

/// Each folder is looked at once, as a job may name files by the hundred thousand.
class InputFolders {
public:
    /// Of a confined job: what its confinement does not hold is not looked at. `patterns`: of a job with several inputs.
    explicit InputFolders(const Confinement* confinement = nullptr,
                          std::shared_ptr<PatternBudget> patterns = std::make_shared<PatternBudget>())
        : confinement_(confinement), patterns_(std::move(patterns)) {}

    /// io::recover(). Returns whether it is the first time.
    bool recover(const std::filesystem::path& folder);
    /// The same where a file lies and, of a link, where what it leads to lies. A confinement follows links itself when it opens a
    /// file.
    bool recover_of(const std::filesystem::path& file);
    /// What looking for files in them may cost.
    PatternBudget& patterns() const noexcept { return *patterns_; }

private:
    const Confinement* confinement_;
    std::shared_ptr<PatternBudget> patterns_;
    std::unordered_set<std::filesystem::path::string_type> known_;
};

}  // namespace parallax::engine
