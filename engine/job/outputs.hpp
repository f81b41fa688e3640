// All or nothing: every file is written beside its place first, then all are moved there.
#pragma once

#include "job/job.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine {

class OutputSet {
public:
    explicit OutputSet(bool overwrite) : overwrite_(overwrite) {}
    /// Takes everything back that has not been committed, folders that were made for it included.
    ~OutputSet();
    OutputSet(const OutputSet&) = delete;
    OutputSet& operator=(const OutputSet&) = delete;

    /// `produce` writes the temporary file that it is given, which has the target's extension. Returns that path.
    std::filesystem::path add(const std::filesystem::path& target,
                              const std::function<void(const std::filesystem::path&)>& produce);
    /// Moves all files to their places; if one cannot be moved, those before it are moved back. Throws IoError.
    void commit();

private:
    struct Entry {
        std::filesystem::path target, temporary, backup;
        bool moved = false;
    };
    void roll_back() noexcept;

    bool overwrite_;
    bool committed_ = false;
    std::vector<Entry> entries_;
    std::vector<std::filesystem::path> folders_;   ///< made by us, outermost first
};

/// The name of the file for which a process that was killed left this temporary file behind; nothing for any other file.
std::optional<std::string> leftover_target(const std::string& name);

}  // namespace parallax::engine
