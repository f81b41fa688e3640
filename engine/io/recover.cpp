// What a process that is no more has left of a transaction, by whoever comes next to the folder.
#include "io/file.hpp"
#include "io/journal.hpp"
#include "io/pointer.hpp"
#include "io/transaction.hpp"
#include "io/tree.hpp"
#include "support/entries.hpp"
#include "support/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

constexpr auto again = std::chrono::seconds(10);   // a series of thousands of files need not list them before each

bool looked_at_lately(const fs::path& folder) {
    static std::mutex mutex;
    // By its name, too: a folder that is made later may get the number of one that has gone.
    static std::map<std::tuple<std::uint64_t, std::uint64_t, fs::path>, std::chrono::steady_clock::time_point> looked;
    const auto identity = host::identity_of(folder);
    if (!identity || identity->inode == 0) return false;
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex);
    if (looked.size() > 4096) looked.clear();
    const auto [at, is_new] = looked.emplace(std::tuple(identity->device, identity->inode, folder), now);
    if (!is_new && now - at->second < again) return true;
    at->second = now;
    return false;
}

/// Names of files of transactions, by folder and transaction. A folder is listed anew each time; but somebody may leave there
/// what seems to be of a hundred thousand transactions, and after 64 questions lists are kept.
class Names {
public:
    const std::vector<fs::path>& of(const host::Folder& folder, const std::string& transaction) {
        std::error_code ignored;
        const auto identity = host::identity_of(folder / ".");
        if (++asked_ <= 64 || !identity) lists_.clear();
        const auto [list, is_new] =
            lists_.try_emplace(identity ? std::pair(identity->device, identity->inode) : Number());
        if (is_new) {
            for (const fs::path& entry : host::entries_of(folder / "", ignored))
                if (const auto whose = transaction_of(entry.filename().string()))
                    list->second[*whose].push_back(entry.filename());
        }
        return list->second[transaction];
    }

private:
    using Number = std::pair<std::uint64_t, std::uint64_t>;   // of a folder: its device's and its own
    std::size_t asked_ = 0;
    std::map<Number, std::map<std::string, std::vector<fs::path>>> lists_;   // by folder
};

/// These files of a transaction but its journal, and the folders of which that says so (`trees`, by their number). False: one of
/// them is left.
bool remove_parts(const host::Folder& folder, const std::string& transaction, const std::vector<fs::path>& files,
                  const std::set<std::uint64_t>& trees = {}, std::optional<unsigned> owner = {}) {
    bool gone = true;
    for (const fs::path& file : files) {
        if (file == transaction + journal_ending) continue;
        std::error_code ignored;
        const bool tree = fs::is_directory(fs::symlink_status(folder / file, ignored));
        const auto identity = tree ? host::identity_of(folder / file) : std::nullopt;
        if (identity && trees.contains(identity->inode)) gone = remove_tree(folder, file, owner) && gone;
        else fs::remove(folder / file, ignored);
    }
    return gone;
}

/// What a transaction moves bears its name. A journal that speaks of other files has not been written by us.
bool is_of(const std::string& transaction, const Move& move) {
    return transaction_of(move.part) == transaction && (move.old.empty() || transaction_of(move.old) == transaction);
}

/// Folders of a transaction, opened once. Of a stranger's only those that are his: nothing is done with our rights where he has
/// none.
class Folders {
public:
    Folders(const host::Folder& base, std::optional<unsigned> stranger) : base_(base), stranger_(stranger) {}
    /// Throws std::system_error, also where it is not to be touched.
    const host::Folder& below(const fs::path& relative) {
        const auto known = open_.find(relative);
        if (known != open_.end()) return known->second;
        host::Folder folder = relative.is_absolute() ? host::Folder::open_strictly(relative) : base_.below(relative);
        if (stranger_ && folder.owner() != stranger_)
            throw std::system_error(std::make_error_code(std::errc::operation_not_permitted), relative.string());
        return open_.emplace(relative, std::move(folder)).first->second;
    }
    bool may_touch(const fs::path& relative) {
        try {
            below(relative);
        } catch (const std::system_error& error) {
            return error.code() != std::errc::operation_not_permitted;   // a folder that has gone is no secret
        }
        return true;
    }

private:
    const host::Folder& base_;
    std::optional<unsigned> stranger_;
    std::map<fs::path, host::Folder> open_;
};

bool reaches_elsewhere(const Done& done) {
    const std::vector<Move> moves = done.moves.value_or(std::vector<Move>());
    return std::any_of(done.places.begin(), done.places.end(), [](const fs::path& place) { return place.is_absolute(); }) ||
           std::any_of(moves.begin(), moves.end(), [](const Move& move) { return move.folder.is_absolute(); });
}

/// What lies elsewhere and is not to be touched: a folder without the transaction's pointer (that was removed last, or never
/// written: what a journal alone says gives nobody a way into other folders), and one that cannot be opened now. True: what is in
/// that one has yet to be done.
bool leave_elsewhere(Done& done, Folders& folders, const std::string& transaction) {
    bool waits = false;
    const auto is_left = [&](const fs::path& folder) {
        if (!folder.is_absolute()) return false;
        try {
            return !has_pointer(folders.below(folder), transaction);
        } catch (const std::system_error&) {
            return waits = true;
        }
    };
    std::erase_if(done.places, is_left);
    if (done.moves) std::erase_if(*done.moves, [&](const Move& move) { return is_left(move.folder); });
    return waits && done.moves;
}

void warn_of(const fs::path& left, const std::string& why) {
    host::warn_once(
        fmt::format("{}: what a process that was ended has left there cannot be finished or undone: {}", show(left), why));
}

/// Why something waits, for the user; empty: nothing does, or it is none of ours to tell.
std::string recover_at(const host::Folder& base, const std::string& transaction, Names& names) {
    const std::unique_ptr<Journal> journal = Journal::take(base, transaction);
    if (!journal) return {};   // its process is alive, or it has ended by now
    Done done = journal->read();
    const auto is_ours = [&](const Move& move) { return is_of(transaction, move); };
    if (done.moves && !std::all_of(done.moves->begin(), done.moves->end(), is_ours)) return {};
    Folders folders(base, journal->stranger());
    if (journal->stranger() && reaches_elsewhere(done)) return {};
    const bool waits = leave_elsewhere(done, folders, transaction);
    // All or nothing: what cannot be finished here is left to its user.
    const auto may_touch = [&](const fs::path& folder) { return folders.may_touch(folder); };
    if (!std::all_of(done.places.begin(), done.places.end(), may_touch)) return {};
    if (done.moves && !std::all_of(done.moves->begin(), done.moves->end(), [&](const Move& m) { return may_touch(m.folder); }))
        return {};
    std::erase_if(done.made, [&](const fs::path& made) { return !may_touch(made.parent_path()); });
    const FolderOf below = [&folders](const fs::path& folder) { return folders.below(folder); };
    if (done.moves && !done.undone) {
        try {
            go_forward(below, done);
            for (const Move& move : *done.moves) below(move.folder).sync();
        } catch (const std::system_error& error) {   // somebody has put a file of his own there
            if (done.forward) return error.code().message() + "; what belongs to it is in its place and stays there";
            journal->undo();
            done.undone = true;
        }
        // What this run moves loses its way back below; what waits must not take it along when it cannot be moved.
        if (waits && !done.undone && !done.forward) journal->forward();
    }
    if (done.undone) go_back(below, done);
    const auto remove_in = [&](const host::Folder& folder, const fs::path& place) {
        std::vector<fs::path> files = names.of(folder, transaction);
        for (const Move& move : done.moves.value_or(std::vector<Move>())) {   // names that a kept list does not have yet
            if (move.folder != place) continue;
            files.emplace_back(move.part);
            if (!move.old.empty()) files.emplace_back(move.old);
        }
        return remove_parts(folder, transaction, files, done.trees, journal->stranger());
    };
    bool gone = true;
    for (const fs::path& place : done.places) {
        try {
            gone = remove_in(below(place), place) && gone;
        } catch (const std::system_error&) {   // the folder has gone
        }
    }
    gone = remove_in(base, ".") && gone;
    if (!gone) return {};   // without the journal nobody would know what may be removed
    if (waits)
        return fmt::format(
            "a report that belongs to it is in a folder that is not there now; where that does not come back, remove {}{}",
            transaction, journal_ending);
    if (!done.moves || done.undone) remove_made(base, done.made);
    std::error_code ignored;
    fs::remove(base / (transaction + journal_ending), ignored);
    return {};
}

std::string recover_one(const host::Folder& folder, const std::string& transaction, Names& names) {
    std::optional<fs::path> where = folder / ".";
    if (has_pointer(folder, transaction)) where = pointed_to(folder, transaction);
    if (!where) return {};   // of a process that has ended meanwhile the journal knows this folder
    const host::Folder base = host::Folder::open(*where);
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(base / (transaction + journal_ending), ignored)))
        return recover_at(base, transaction, names);
    remove_parts(folder, transaction,
                 names.of(folder, transaction));   // the journal comes first and goes last: nobody's any more
    return {};
}

}  // namespace

void recover(const fs::path& folder) {
    const fs::path path = folder.empty() ? fs::path(".") : folder;
    if (looked_at_lately(path)) return;
    std::set<std::string> transactions;
    std::error_code ignored;
    for (const fs::path& entry : host::entries_of(path, ignored))
        if (const auto transaction = transaction_of(entry.filename().string())) transactions.insert(*transaction);
    Names names;
    for (const std::string& transaction : transactions) {
        try {
            const std::string waits = recover_one(host::Folder::open(path), transaction, names);
            if (!waits.empty()) warn_of(path / transaction, waits);
        } catch (const std::system_error& error) {   // its text has a path, which may be of another's folder
            warn_of(path / transaction, error.code().message());
        }
    }
}

}  // namespace parallax::io
