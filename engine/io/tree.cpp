#include "io/tree.hpp"

#include "io/file.hpp"
#include "io/hasher.hpp"
#include "io/io.hpp"
#include "io/known_status.hpp"
#include "support/entries.hpp"
#include "support/file_state.hpp"
#include "support/mounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <system_error>
#include <vector>

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

constexpr int deepest = 64;   ///< folders in folders: those that we write have six

struct Node {
    fs::path path, relative;
    fs::file_type type;
};

/// Calls `visit` with all that is in a folder, what is in a folder of it before that.
void walk(const fs::path& folder, const fs::path& relative, int depth, const std::function<void(const Node&)>& visit) {
    std::error_code error;
    const std::vector<fs::path> entries = host::entries_of(folder, error);
    if (!error && depth == deepest) error = std::make_error_code(std::errc::filename_too_long);
    if (error) throw std::system_error(error, show(relative));
    for (const fs::path& entry : entries) {
        const Node node{entry, relative / entry.filename(), known_status(entry).type()};
        if (node.type == fs::file_type::directory) walk(node.path, node.relative, depth + 1, visit);
        visit(node);
    }
}

constexpr std::string_view is_going = "-going";

/// A folder that goes; nothing: it is somebody else's, or what is mounted there is.
std::optional<host::Folder> entered(const host::Folder& folder, const fs::path& name, const MayEnter& may_enter) {
    if (host::is_mount_point(folder / name)) return std::nullopt;
    host::Folder inner = folder.below(name);
    return may_enter && !may_enter(inner) ? std::nullopt : std::optional(std::move(inner));
}

/// All that is in a folder, which may be of any depth: what lies deep in it first comes up, to be gone into from there.
class Removal {
public:
    Removal(const host::Folder& top, const MayEnter& may_enter, const std::function<bool()>& go_on)
        : top_(top), may_enter_(may_enter), go_on_(go_on) {}

    /// Throws std::system_error.
    void empty() {
        constexpr int most = 100000;   // somebody may be making folders there
        for (int round = 0; round < most; ++round) {
            came_up_ = false;
            remove_all_in(top_, 0);
            if (!came_up_ || stopped_) return;
        }
    }

private:
    void remove_all_in(const host::Folder& folder, int depth) {
        std::error_code error;
        for (const fs::path& entry : host::entries_of(folder / "", error)) {
            stopped_ = stopped_ || (go_on_ && !go_on_());
            if (stopped_) return;
            remove(folder, entry.filename(), depth);
        }
    }

    void remove(const host::Folder& folder, const fs::path& name, int depth) {
        std::error_code error;
        const fs::file_status status = known_status(folder / name);
        if (!fs::exists(status)) return;
        if (fs::is_directory(status)) {
            const std::optional<host::Folder> inner = entered(folder, name, may_enter_);
            if (!inner) return;
            if (depth == deepest) return bring_up(folder, name);
            remove_all_in(*inner, depth + 1);
        }
        fs::remove(folder / name, error);
    }

    void bring_up(const host::Folder& folder, const fs::path& name) {
        std::error_code error;
        do {
            error = host::rename_to_free(folder / name, top_ / std::to_string(next_++));
        } while (error == std::errc::file_exists);
        came_up_ = came_up_ || !error;
    }

    const host::Folder& top_;
    const MayEnter& may_enter_;
    const std::function<bool()>& go_on_;
    bool came_up_ = false, stopped_ = false;
    std::uint64_t next_ = 0;
};

/// Throws std::system_error.
bool remove_inner(const host::Folder& folder, const fs::path& name, const MayEnter& may_enter,
                  const std::function<bool()>& go_on) {
    std::error_code error;
    const fs::file_status status = known_status(folder / name);
    if (!fs::exists(status)) return true;
    if (fs::is_directory(status)) {
        const std::optional<host::Folder> inner = entered(folder, name, may_enter);
        if (!inner) return false;
        Removal(*inner, may_enter, go_on).empty();
    }
    return fs::remove(folder / name, error) && !error;
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(fs::symlink_status(path, ignored));
}

}   // namespace

TreeSize size_of_tree(const fs::path& path) {
    if (!is_folder(path)) return {fs::file_size(path), 0};
    TreeSize size{0, 1};
    walk(path, {}, 0, [&](const Node& node) {
        if (node.type == fs::file_type::regular) size.bytes += fs::file_size(node.path);
        if (node.type == fs::file_type::directory) ++size.folders;
    });
    return size;
}

namespace {

/// 60 bits: a manifest's whole numbers have a sign.
std::int64_t number_of(std::string text, const std::map<std::string, std::string>& lines) {
    for (const auto& [name, line] : lines) text += name + ' ' + line + '\n';
    return static_cast<std::int64_t>(std::stoull(hash_text(text).substr(0, 15), nullptr, 16));
}

struct HoldsMore {};   ///< thrown out of a walk that need not go on

}  // namespace

std::optional<host::FileIdentity> identity_of_tree(const fs::path& path, std::uint64_t most) {
    std::error_code error;
    const host::FileState state = host::state_of(path, error);   // a file by one look: jobs have 100,000 of them
    std::optional<host::FileIdentity> whole = state.identity;
    if (state.type == fs::file_type::regular || !is_folder(path) || !whole) return whole;
    whole->bytes = 0;
    std::map<std::string, std::string> lines, changes;   // entries come in no order
    bool no_time = false;
    std::uint64_t entries = 0;
    try {
        walk(path, {}, 0, [&](const Node& node) {
            // A file of an output has a byte at least, and lies in so many folders at most.
            if (++entries / (deepest + 1) > most) throw HoldsMore();
            const bool link = node.type == fs::file_type::symlink, file = node.type == fs::file_type::regular;
            const auto identity = link ? std::nullopt : host::identity_of(node.path);
            if (file && identity) whole->bytes += identity->bytes;
            if (whole->bytes > most) throw HoldsMore();
            lines[show(node.relative)] =
                identity ? fmt::format("{} {} {}", identity->inode, file ? identity->bytes : 0, identity->modified) : "";
            if (identity) changes[show(node.relative)] = std::to_string(identity->changed);
            no_time = no_time || (file && identity && identity->changed == host::no_time_of_change);
        });
    } catch (const std::system_error&) {   // something has gone meanwhile
        return std::nullopt;
    } catch (const HoldsMore&) {
        whole->bytes = std::max(whole->bytes, most + 1);
        return whole;
    }
    whole->modified = number_of(fmt::format("{}\n", whole->modified), lines);
    whole->changed = no_time ? host::no_time_of_change : number_of("", changes);   // not its own, which a new name changes
    return whole;
}

std::string hash_of_tree(const fs::path& path, const std::stop_token& stop) {
    if (!is_folder(path)) return hash_file(path, stop);
    std::map<std::string, fs::path> files;
    walk(path, {}, 0, [&](const Node& node) {
        if (node.type == fs::file_type::regular) files[show(node.relative)] = node.path;
    });
    Hasher hasher;
    for (const auto& [name, file] : files) {
        if (stop.stop_requested()) break;
        const std::string line = hash_file(file, stop) + "  " + name + '\n';
        hasher.add(line.data(), line.size());
    }
    return hasher.hex();
}

void sync_tree(const fs::path& path) {
    walk(path, {}, 0, [](const Node& node) {
        if (node.type == fs::file_type::regular) host::sync_file(node.path);
        if (node.type == fs::file_type::directory) host::Folder::open(node.path).sync();
    });
    host::Folder::open(path).sync();
}

bool remove_tree(const host::Folder& folder, const fs::path& name, const MayEnter& may_enter,
                 const std::function<bool()>& go_on) noexcept {
    try {
        std::error_code error;
        if (const fs::file_status status = known_status(folder / name); !fs::is_directory(status))
            return !fs::exists(status) || fs::remove(folder / name, error);
        fs::path going = name;
        if (!name.string().ends_with(is_going)) {
            going += is_going;
            remove_inner(folder, going, may_enter, go_on);   // of one that was ended on its way
            error = host::rename_to_free(folder / name, folder / going);
            if (error) return false;
        }
        return remove_inner(folder, going, may_enter, go_on);
    } catch (const std::exception&) {   // a folder that may not be opened, or no memory
        return false;
    }
}

}   // namespace parallax::io
