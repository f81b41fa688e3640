// What a process that was ended has left of a transaction, made by hand.
#pragma once

#include "journal_text.hpp"
#include "support.hpp"

#include <memory>
#include <vector>

namespace parallax::tests {

inline const std::string dead = ".parallax-12-0-0123abcd";

/// The journal of a transaction that moves one file in the folder "mine", or was about to undo that.
inline void put_journal(const Folder& folder, const std::string& part, const std::string& old, bool undo) {
    const auto identity = host::identity_of(folder / "mine/a.npy");
    Json move{{"folder", "mine"}, {"part", part}, {"name", "a.npy"}, {"old", old}};
    move["inode"] = identity->inode;
    move["bytes"] = identity->bytes;
    const Json commit{{"commit", Json::array({move})}, {"overwrite", true}};
    std::string lines;
    for (const Json& json : undo ? std::vector<Json>{commit, {{"undo", true}}} : std::vector<Json>{commit})
        lines += journal_line(json);
    put_journal_text(folder / (dead + ".journal"), lines);
}

/// Kept to the end: a folder is looked at again after some seconds only.
inline const Folder& folder_with_files() {
    static std::vector<std::unique_ptr<Folder>> folders;
    const Folder& folder = *folders.emplace_back(std::make_unique<Folder>());
    fs::create_directory(folder / "mine");
    put(folder / "mine/a.npy", "mine");
    put(folder / "mine/b.npy", "other");
    return folder;
}

/// A journal of lines.
inline void put_lines(const fs::path& folder, const std::vector<Json>& lines) {
    std::string text;
    for (const Json& json : lines) text += journal_line(json);
    put_journal_text(folder / (dead + ".journal"), text);
}

inline std::uint64_t number_of(const fs::path& path) { return host::identity_of(path)->inode; }

inline void put_store(const fs::path& folder, const std::string& text) {
    fs::create_directories(folder / "0/0");
    put(folder / "0/0/0", text);
    put(folder / ".zgroup", text);
}

/// What stands in a folder, by names: the text of a store, or of a file.
inline std::string told(const fs::path& path) {
    return !fs::exists(path) ? "" : fs::is_directory(path) ? get(path / "0/0/0") : get(path);
}

}   // namespace parallax::tests
