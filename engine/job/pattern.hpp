// Names with * and ?.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace parallax::engine {

bool has_wildcard(const std::string&);
/// Whether `text` matches a pattern of * and ?.
bool matches(const std::string& pattern, const std::string& text);
/// The folder before the first part with * or ?, and the parts from there on.
std::pair<std::filesystem::path, std::vector<std::string>> split_pattern(const std::filesystem::path&);

/// Tells of a folder into which this user may not look. No error: a disk's own folder (lost+found) is such a one.
void warn_of_closed(const std::filesystem::path& folder);

/// What looking for files may cost: a pattern such as /*/*/*/* goes through a whole disk. Throws ConfigError beyond.
class PatternBudget {
public:
    explicit PatternBudget(std::string pointer) : pointer_(std::move(pointer)) {}
    /// An entry has been looked at.
    void count();
    /// A folder stays open.
    void hold();

    static constexpr std::size_t most_entries = 1'000'000, most_folders = 500;
    static constexpr std::chrono::seconds longest{30};

private:
    std::string pointer_;
    std::size_t entries_ = 0, folders_ = 0;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace parallax::engine
