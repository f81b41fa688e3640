// A folder that is held, so that what is done in it is done there, whatever its path comes to mean meanwhile.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>

namespace parallax::host {

/// A file that is held open for reading, so that what is read is what was opened.
class OpenedFile {
public:
    OpenedFile() = default;
    /// Not held: by its path.
    explicit OpenedFile(std::filesystem::path path) : way_(std::move(path)) {}
    /// A path to it, for this process and as long as it is held.
    const std::filesystem::path& path() const noexcept { return way_; }

private:
    friend class Folder;
    std::shared_ptr<const void> held_;
    std::filesystem::path way_;
};

/// Linux: a descriptor. Elsewhere, and where /proc is not there: its absolute path, with no more certainty than a path gives.
class Folder {
public:
    using Making = std::function<void(const std::filesystem::path&)>;   ///< hears of a folder before it is made

    /// Links on the way are followed. Throws std::system_error.
    static Folder open(const std::filesystem::path&);
    /// No link is followed on the way. `making`: what is missing is made, and told by its absolute path. Throws std::system_error.
    static Folder open_strictly(const std::filesystem::path&, const Making& making = {});
    /// A folder below this one, part after part; none of them may be a link, or "..". "." is this one. Throws std::system_error.
    Folder below(const std::filesystem::path& relative) const;
    /// The same, made where it is missing; each part is told by its path below this one.
    Folder make(const std::filesystem::path& relative, const Making& making = {}) const;

    /// A regular file below this one; no part of the way may be a link, nor the file. Throws std::system_error.
    OpenedFile file(const std::filesystem::path& relative) const;

    /// A path to `name` in it, for this process and as long as the folder is held.
    std::filesystem::path operator/(const std::filesystem::path& name) const& { return way_ / name; }
    std::filesystem::path operator/(const std::filesystem::path& name) && = delete;   // nobody would hold it
    /// Has the system put its list of names where a power cut does not reach it. Throws std::system_error.
    void sync() const;
    /// The number of the user whose it is; none where the system has no such numbers.
    std::optional<unsigned> owner() const;
    /// Whether what this user makes in it becomes his, as servers that squash users and mounts that map them have it. That is tried by
    /// a file that goes at once: asked of what is not this user's.
    bool makes_for(unsigned user) const;
    /// Whether he does there what he likes in any case: it is his, or made for him.
    bool is_of(unsigned user) const;
    /// Whether somebody has removed it: nothing can be put in it any more.
    bool has_gone() const noexcept;
    /// Whether paths lead through the descriptor.
    bool is_held() const noexcept;

private:
    struct Held;
    Folder walk(const std::filesystem::path& relative, const Making&, int last) const;
    std::shared_ptr<const Held> held_;
    std::filesystem::path way_;
};

/// The descriptor of which a path is the whole way, as an opened file's is; none of other paths.
std::optional<int> descriptor_of(const std::filesystem::path&) noexcept;

/// The path that a way through a descriptor stands for; other paths as they are. For messages.
std::filesystem::path without_descriptor(const std::filesystem::path&);

/// The same for the contents of a file. Throws std::system_error.
void sync_file(const std::filesystem::path&);

/// Of nothing else that has the name, and of none that holds something.
void remove_empty_folder(const std::filesystem::path&) noexcept;

/// Renames to a name that nobody has; std::errc::file_exists where somebody has it.
std::error_code rename_to_free(const std::filesystem::path& from, const std::filesystem::path& to) noexcept;

/// Each gets the other's name, in one step. std::errc::not_supported where system or file system has no such step.
std::error_code exchange(const std::filesystem::path& a, const std::filesystem::path& b) noexcept;

}  // namespace parallax::host
