// What processes that are no more have left half done where inputs lie: it is finished or undone before they are looked at.
#pragma once

#include "job/confinement.hpp"
#include "job/pattern.hpp"

#include <filesystem>
#include <memory>
#include <system_error>
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
    bool recover_of(const std::filesystem::path& file) { return follow(file).any_new; }
    /// What a job that is not confined finds at a path, links followed, when that is done.
    std::filesystem::file_status status_of(const std::filesystem::path& file, std::error_code&);
    /// What looking for files in them may cost.
    PatternBudget& patterns() const noexcept { return *patterns_; }

private:
    struct Followed {
        bool any_new = false;
        std::filesystem::file_status first;   ///< of the file itself, or of a link; none where a confinement looks
    };
    Followed follow(const std::filesystem::path& file);

    const Confinement* confinement_;
    std::shared_ptr<PatternBudget> patterns_;
    std::unordered_set<std::filesystem::path::string_type> known_;
};

}  // namespace parallax::engine
