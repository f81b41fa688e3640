// Where a job of a stranger's may read: the folders are held, and a file is opened in them and nowhere else, whatever paths come
// to mean while the job is looked at and run.
#pragma once

#include "job/paths.hpp"
#include "job/pattern.hpp"
#include "parallax/host/error.hpp"
#include "support/folder.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine {

class Confinement {
public:
    /// Hears of a file of a pattern's that is not taken, and why.
    using PassedOver = std::function<void(const std::filesystem::path&, const ConfigError&)>;

    /// Of the job's folder and the roots. No link is followed on the way to them: that could be the stranger's. `passed_over`:
    /// what expand() finds and may not be read is told, and not refused. Throws ConfigError, IoError where the system gives no more
    /// files or a disk fails, and UnsupportedError where the system cannot hold a folder.
    explicit Confinement(const Locations&, PassedOver passed_over = {});

    /// Whether a path leads below one of them. Nothing is looked at elsewhere.
    bool holds(const std::filesystem::path&) const;
    /// Throws ConfigError where a path does not.
    void check(const std::filesystem::path&, const std::string& pointer) const;
    /// A folder below one of them, or one of them; nothing: it is not there, or lies elsewhere.
    std::optional<host::Folder> folder(const std::filesystem::path&) const;
    /// Of what lies elsewhere it is not told.
    bool is_link(const std::filesystem::path&) const;
    /// A regular file below one of them. Links may lead to it, on a way that never leaves them; of that the end is opened, and no
    /// part of it may have become a link meanwhile. Throws ConfigError, in which nothing is told of what lies elsewhere, and IoError.
    host::OpenedFile open(const std::filesystem::path&, const std::string& pointer) const;
    /// The same; nothing: there is no such file.
    std::optional<host::OpenedFile> open_if_there(const std::filesystem::path&, const std::string& pointer) const;
    /// Files that match a pattern with * and ? in any of its parts (pattern.hpp). Links to folders are not followed by * and ?. A link that
    /// leads elsewhere is refused, whatever is behind it. Throws ConfigError.
    std::vector<std::filesystem::path> expand(const std::filesystem::path& pattern, const std::string& pointer,
                                              PatternBudget&) const;
    /// io::recover() of a folder below one of them; of others nothing.
    void recover(const std::filesystem::path& folder) const;

private:
    using Parts = std::vector<std::filesystem::path>;
    struct Top {
        Parts parts;   ///< of its path, without links
        host::Folder folder;
    };
    struct Place {
        const Top* top;
        std::filesystem::path relative;
    };
    static Parts parts_of(const std::filesystem::path&);
    const Top* top_of(const Parts&) const;
    bool leads_to_top(const Parts&) const;
    std::optional<Place> place_of(const std::filesystem::path&) const;
    std::optional<host::OpenedFile> open_as_written(const std::filesystem::path&) const;
    bool is_readable(const std::filesystem::path&, const std::string& pointer) const;
    std::filesystem::path here_{};   ///< where relative paths start, as they did when it was made
    std::vector<Top> tops_;
    PassedOver passed_over_;
};

}  // namespace parallax::engine
