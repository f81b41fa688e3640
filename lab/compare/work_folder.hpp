// Where a study keeps what nobody reads later: a folder under a name that nobody else has, which goes with it.
#pragma once

#include <filesystem>

namespace parallax::engine::compare {

class WorkFolder {
public:
    /// Made in `out`, ".parallax-work-12-0-0123abcd". Throws IoError where that cannot be.
    explicit WorkFolder(const std::filesystem::path& out);
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const std::filesystem::path& path() const noexcept { return path_; }

    /// Removes what studies that were killed have left in `out`. Only for who knows that none is at work there.
    static void sweep(const std::filesystem::path& out);

private:
    std::filesystem::path path_;
};

}   // namespace parallax::engine::compare
