// Names with * and ?.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace parallax::engine {

/// A name as it stands in a pattern. Only the job's text has * and ? that stand for others: what comes into it from elsewhere (the names
/// of its folder, of a root, of a file that a variable stands for) may have its own, which get a mark, a byte that no name has.
std::string literally(const std::string& name);
/// The same without marks: the name of a file or folder again.
std::string plain(std::string pattern);
/// Such as stand for others.
bool has_wildcard(const std::string&);
/// Whether `text` matches a pattern of * and ?.
bool matches(const std::string& pattern, const std::string& text);
/// The folder before the first part with * or ?, without marks, and the parts from there on, with theirs.
std::pair<std::filesystem::path, std::vector<std::string>> split_pattern(const std::filesystem::path&);

/// Tells of a folder into which this user may not look. No error: a disk's own folder (lost+found) is such a one.
void warn_of_closed(const std::filesystem::path& folder);
/// What to do about something that a pattern could not look at, which lies in `folder`: nothing where it is not there, or leads
/// nowhere; the same warning. Throws IoError for the rest, as it might be a file that the pattern finds.
void tell_of_unseen(const std::error_code&, const std::filesystem::path&, const std::filesystem::path& folder);

/// What looking for files may cost: a pattern such as /*/*/*/* goes through a whole disk. Throws ConfigError beyond.
/// One for all patterns of a job: their number is no way around it.
class PatternBudget {
public:
    /// While one of them is looked for; `pointer`: where it stands.
    class Look {
    public:
        Look(PatternBudget& budget, std::string pointer) : budget_(budget), pointer_(std::move(pointer)) {}
        ~Look() { budget_.spent_ += std::chrono::steady_clock::now() - begun_; }
        Look(const Look&) = delete;
        Look& operator=(const Look&) = delete;
        /// An entry has been looked at.
        void count();
        /// A folder stays open.
        void hold();

    private:
        PatternBudget& budget_;
        std::string pointer_;
        std::size_t folders_ = 0;
        std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    };

    /// For another item of a series, as items do not share one.
    void renew() {
        entries_ = 0;
        spent_ = {};
    }

    static constexpr std::size_t most_entries = 1'000'000, most_folders = 500;
    static constexpr std::chrono::seconds longest{30};

private:
    std::size_t entries_ = 0;
    std::chrono::steady_clock::duration spent_{};
};

}  // namespace parallax::engine
