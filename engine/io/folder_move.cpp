#include "io/folder_move.hpp"

#include "io/known_status.hpp"
#include "io/tree.hpp"

#include <system_error>

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

bool is_new(const fs::path& path, const Move& move) {
    if (!fs::is_directory(known_status(path))) return false;
    const auto identity = known_identity(path);
    return identity && identity->inode == move.inode;
}

void give_name(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) throw std::system_error(error, to.filename().string());
}

/// Where what was there before goes to. That name may be taken, where two put something in the place at once.
fs::path free_name(const host::Folder& folder, const Move& move) {
    fs::path name = folder / (move.old.empty() ? move.part + "-old" : move.old);
    while (is_known_to_be_there(name)) name += "-more";
    return name;
}

}   // namespace

void folder_forward(const host::Folder& folder, const Move& move, bool overwrite) {
    const std::u8string name(move.name.begin(), move.name.end());
    const fs::path part = folder / move.part, to = folder / fs::path(name);
    constexpr int most = 100;   // others that put something there again and again
    for (int i = 0; is_known_to_be_there(part); ++i) {
        if (!is_new(part, move)) return give_name(part, free_name(folder, move));   // exchanged by now
        const std::error_code error = host::rename_to_free(part, to);
        if (!error) return;
        const bool taken = error == std::errc::file_exists || error == std::errc::directory_not_empty ||
                           error == std::errc::not_a_directory || error == std::errc::is_a_directory;
        if (!taken || !overwrite || i == most) throw std::system_error(error, move.name);
        const std::error_code exchanged = host::exchange(part, to);
        if (exchanged == std::errc::not_supported) {
            give_name(to, free_name(folder, move));
        } else if (exchanged && exchanged != std::errc::no_such_file_or_directory) {   // the other may have gone again
            throw std::system_error(exchanged, move.name);
        }
    }
}

void folder_back(const host::Folder& folder, const Move& move) {
    const std::u8string name(move.name.begin(), move.name.end());
    const fs::path part = folder / move.part, to = folder / fs::path(name);
    fs::path old = move.old.empty() ? fs::path() : folder / move.old;
    if (is_known_to_be_there(part) && !is_new(part, move)) {   // exchanged
        const fs::path aside = free_name(folder, move);
        give_name(part, aside);
        if (old.empty()) old = aside;
    }
    if (is_new(to, move)) give_name(to, part);
    if (old.empty() || !is_known_to_be_there(old)) return;
    // Where somebody has put something there meanwhile, the old one stays where it is: it is nobody's to remove.
    if (const std::error_code error = host::rename_to_free(old, to)) throw std::system_error(error, move.name);
}

bool remove_moved(const host::Folder& folder, const std::string& part, const std::string& old) {
    bool gone = remove_tree(folder, part);
    try {
        for (std::string name = old.empty() ? part + "-old" : old; is_known_to_be_there(folder / name); name += "-more")
            gone = remove_tree(folder, name) && gone;
    } catch (const std::system_error&) {
        return false;
    }
    return gone;
}

}   // namespace parallax::io
