// What a process that is no more has left of a transaction, by whoever comes next to the folder.
#include "io/known_status.hpp"
#include "io/copied_moves.hpp"
#include "io/file.hpp"
#include "io/hints.hpp"
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

/// When folders were looked at. By their names, too: one that is made later may get the number of one that has gone.
struct Looked {
    std::mutex mutex;
    std::map<std::tuple<std::uint64_t, std::uint64_t, fs::path>, std::chrono::steady_clock::time_point> at;
};

Looked& looked() {
    static Looked& looked = *new Looked;   // to the end: objects of the host's may write after main()
    return looked;
}

bool looked_at_lately(const host::Folder& folder, const fs::path& path) {
    const auto identity = host::identity_of(folder / ".");
    if (!identity || identity->inode == 0) return false;
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(looked().mutex);
    if (looked().at.size() > 4096) looked().at.clear();
    const auto [at, is_new] = looked().at.emplace(std::tuple(identity->device, identity->inode, path), now);
    if (!is_new && now - at->second < again) return true;
    at->second = now;
    return false;
}

/// This process can do no more now, and has left what it found in order, for whoever comes next. No std::exception: nothing on
/// the way takes it for a folder that has gone.
struct Later {
    std::string why;   ///< empty: nothing that the user has to know
};

/// Names of files of transactions, by folder and transaction. A folder is listed anew each time; but somebody may leave there
/// what seems to be of a hundred thousand transactions, and after 64 questions lists are kept.
class Names {
public:
    const std::vector<fs::path>& of(const host::Folder& folder, const std::string& transaction) {
        std::error_code error;
        const auto identity = host::identity_of(folder / ".");
        if (++asked_ <= 64 || !identity) lists_.clear();
        const auto [list, is_new] =
            lists_.try_emplace(identity ? std::pair(identity->device, identity->inode) : Number());
        if (is_new) {
            for (const fs::path& name : host::names_of(folder / "", error))
                if (const auto whose = transaction_of(name.string())) list->second[*whose].push_back(name);
            if (is_shortage(error)) throw Later{};
            if (error && error != std::errc::no_such_file_or_directory) throw Later{"its folder cannot be listed: " + error.message()};
        }
        return list->second[transaction];
    }

private:
    using Number = std::pair<std::uint64_t, std::uint64_t>;   // of a folder: its device's and its own
    std::size_t asked_ = 0;
    std::map<Number, std::map<std::string, std::vector<fs::path>>> lists_;   // by folder
};

/// How long a folder may keep a process, which hears no stop meanwhile: somebody may have put there what takes for ever.
class Patience {
public:
    bool is_left() const { return std::chrono::steady_clock::now() <= end_; }
    void check() const {
        if (!is_left()) throw Later{"there is too much of it to be done at once"};
    }

private:
    std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + std::chrono::seconds(10);
};

bool is_named(const std::string& file, const std::set<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return file.starts_with(name) && (file.size() == name.size() || file[name.size()] == '-');   // "-more", "-going"
    });
}

/// These files of a transaction but its journal, and of folders those that the journal names, by their number. The pointer to
/// the journal goes last: without it nobody would know whose the others are. False: one of them is left.
bool remove_parts(const host::Folder& folder, const std::string& transaction, const std::vector<fs::path>& files,
                  const Patience& patience, const Done& done = {}, const MayEnter& may_enter = {}) {
    bool gone = true;
    std::error_code ignored;
    for (const fs::path& file : files) {
        if (file == transaction + journal_ending || file == transaction + base_ending) continue;
        patience.check();
        std::error_code unknown;
        const fs::file_status status = fs::symlink_status(folder / file, unknown);
        const bool tree = fs::is_directory(status);
        const auto identity = tree ? host::identity_of(folder / file) : std::nullopt;
        const auto is_known = [&] {
            return done.copied ? is_named(file.string(), done.tree_names) : done.trees.contains(identity->inode);
        };
        if (!fs::status_known(status) || (tree && !identity)) {
            gone = false;   // nobody can tell now
        } else if (identity && is_known()) {
            gone = remove_tree(folder, file, may_enter, [&] { return patience.is_left(); }) && gone;
            patience.check();
        } else {
            std::error_code stays;
            fs::remove(folder / file, stays);
            gone = gone && (tree || !stays);   // a folder that nobody knows is somebody's
        }
    }
    if (gone && std::find(files.begin(), files.end(), transaction + base_ending) != files.end())
        fs::remove(folder / (transaction + base_ending), ignored);
    return gone;
}

/// What a transaction moves bears its name. A journal that speaks of other files has not been written by us.
bool is_of(const std::string& transaction, const Move& move) {
    return transaction_of(move.part) == transaction && (move.old.empty() || transaction_of(move.old) == transaction);
}

/// Folders of a transaction, opened once. Of a stranger's only those that are his, and where others may have written the journal
/// only those that they may change: nothing is done with our rights where they have none. Where the journal is ours in spite of that
/// (or a server gives what we make to the stranger, who may be us), also those with a pointer that we alone can have made, and of
/// what the journal says of these only what that says, too.
class Folders {
public:
    Folders(const host::Folder& base, const std::string& transaction, const Journal& journal, bool may_be_us, const Patience& patience)
        : base_(base),
          transaction_(transaction),
          stranger_(journal.stranger()),
          writers_(journal.writers()),
          may_be_us_(may_be_us),
          patience_(patience) {}
    /// Throws std::system_error, also where it is not to be touched.
    const host::Folder& below(const fs::path& relative) {
        patience_.check();
        const auto known = open_.find(relative);
        if (known != open_.end()) return known->second;
        host::Folder folder = opened(relative);
        if ((stranger_ && !folder.is_of(*stranger_)) || !host::may_change(writers_, folder, base_)) {
            const auto noted = may_be_us_ ? noted_in_own_pointer(folder, transaction_) : std::nullopt;
            if (!noted) throw std::system_error(std::make_error_code(std::errc::operation_not_permitted), relative.string());
            noted_[relative] = *noted;
        }
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
    /// Of a journal of ours: whether no pointer in the folder leads to it.
    bool is_unmarked(const fs::path& relative) const { return !stranger_ && !has_pointer(opened(relative), transaction_); }
    /// Of a folder that may be touched: whether its own pointer has to say what is done there.
    bool is_vouched_for(const fs::path& relative) const { return noted_.contains(relative); }
    bool may_move(const Move& move) {
        if (!may_touch(move.folder)) return false;
        const auto noted = noted_.find(move.folder);
        return noted == noted_.end() || noted->second.contains(said_in_pointer(move.part, move.name, move.overwrite));
    }

private:
    host::Folder opened(const fs::path& relative) const {
        try {
            return relative.is_absolute() ? host::Folder::open_strictly(relative) : base_.below(relative);
        } catch (const std::system_error& error) {   // a process that may open no more files has not found that one has gone
            if (is_shortage(error.code())) throw Later{};
            throw;
        }
    }

    const host::Folder& base_;
    const std::string& transaction_;
    std::optional<unsigned> stranger_;
    host::Writers writers_;
    bool may_be_us_;
    const Patience& patience_;
    std::map<fs::path, host::Folder> open_;
    std::map<fs::path, std::set<std::string>> noted_;   ///< by folder
};

/// How far recovery goes. Without a top: wherever a transaction's files are.
struct Bounds {
    const host::Folder* top = nullptr;
    fs::path relative;               ///< the folder, from there
    std::set<fs::path> elsewhere{};  ///< may be gone to as well
};

using MovesByFolder = std::map<fs::path, std::vector<Move>>;

MovesByFolder by_folder(const Done& done) {
    MovesByFolder moves;
    if (!done.moves) return moves;
    for (const Move& move : *done.moves) moves[move.folder].push_back(move);
    return moves;
}

bool reaches_beyond(const Done& done, const MovesByFolder& moves, const std::set<fs::path>& elsewhere) {
    const auto is_beyond = [&](const fs::path& folder) { return folder.is_absolute() && !elsewhere.contains(folder); };
    return std::any_of(done.places.begin(), done.places.end(), is_beyond) ||
           std::any_of(moves.begin(), moves.end(), [&](const auto& there) { return is_beyond(there.first); });
}

/// Under the path of the one that the journal means: what the transaction has there is neither to be seen here nor done.
bool is_another(const host::Folder& there, const fs::path& folder, const Done& done, const MovesByFolder& moves) {
    const auto which = done.which.find(folder);
    if (which == done.which.end()) return false;
    if (done.copied && !folder.is_absolute()) {   // copied with its base, or something else by now
        const auto in_it = moves.find(folder);
        return in_it != moves.end() && !std::all_of(in_it->second.begin(), in_it->second.end(),
                                                    [&](const Move& move) { return has_moved_along(there, move); });
    }
    const std::string now = which_folder(there);
    if (now.empty()) throw Later{};   // it could be told once
    if (now == which->second) return false;
    const auto in_it = moves.find(folder);
    return in_it != moves.end() && !std::all_of(in_it->second.begin(), in_it->second.end(), [&](const Move& move) {
        return is_in_place(there / name_of(move), move);   // by a machine that has been started again since
    });
}

/// The folder of the journal that a pointer leads to; nothing: it is out of bounds. Throws std::system_error.
std::optional<host::Folder> base_of(const host::Folder& folder, const fs::path& pointer, const Bounds& bounds) {
    if (bounds.top == nullptr) return host::Folder::open(pointer.is_absolute() ? pointer : folder / pointer);
    if (pointer.is_absolute())
        return bounds.elsewhere.contains(pointer) ? std::optional(host::Folder::open_strictly(pointer)) : std::nullopt;
    // From the top on, not up from here: the folder may have been moved meanwhile.
    fs::path at = bounds.relative.lexically_normal();
    for (const fs::path& part : pointer) {
        if (part != "..") continue;
        if (at.empty() || at == ".") return std::nullopt;
        at = at.parent_path();
    }
    return bounds.top->below(at);
}

/// What is with the folders of a transaction that are not its base's.
enum class Elsewhere { done, waits, lives };

/// What lies elsewhere and is not to be touched: a folder without the transaction's pointer (that was removed last, or never
/// written: what a journal alone says gives nobody a way into other folders), one that cannot be opened now, and one that is
/// another than the journal means. What is in those two waits. Of a copy of a base the pointer means the original, whose the
/// folder is; where that lives, nothing of the copy is to be touched either: it may still grow. Where there is no original any more,
/// the base has been moved.
Elsewhere leave_elsewhere(const host::Folder& base, Done& done, Folders& folders, const std::string& transaction,
                          const MovesByFolder& moves, const Bounds& bounds) {
    bool waits = false, lives = false;
    const std::set<fs::path> places = done.places;
    const auto look_at = [&](const fs::path& folder) {
        if (folder == ".") return false;
        try {
            const host::Folder& there = folders.below(folder);
            if (has_pointer(there, transaction)) {
                if (!folder.is_absolute()) return false;
                const std::optional<Pointed> pointed = pointed_to(there, transaction);
                if (!pointed && !done.moves && is_begun(there, transaction)) return false;
                if (!pointed) return waits = true;
                if (pointed->lives) return lives = true;
                if (means(*pointed, base)) return false;
                if (bounds.top != nullptr && !bounds.elsewhere.contains(pointed->path)) return waits = true;
                return is_known_to_be_there(pointed->path / (transaction + journal_ending));
            }
            const bool another = is_another(there, folder, done, moves);
            waits = waits || another;
            return another || folder.is_absolute();
        } catch (const std::system_error& error) {
            // The pointer goes last: without it nothing is left there, and nobody has to be believed.
            if (error.code() == std::errc::operation_not_permitted && places.contains(folder) && folders.is_unmarked(folder)) return true;
            if (!folder.is_absolute()) return false;
            return waits = true;
        }
    };
    std::map<fs::path, bool> known;
    const auto is_left = [&](const fs::path& folder) {
        const auto [left, is_new] = known.try_emplace(folder, false);
        if (is_new) left->second = look_at(folder);
        return left->second;
    };
    std::erase_if(done.places, is_left);
    if (done.moves) std::erase_if(*done.moves, [&](const Move& move) { return is_left(move.folder); });
    return lives ? Elsewhere::lives : waits && done.moves ? Elsewhere::waits : Elsewhere::done;
}

void warn_of(const fs::path& left, const std::string& why) {
    host::warn_once(fmt::format("{}: what a process that was ended has left there cannot be finished or undone: {}",
                                show(host::without_descriptor(left).lexically_normal()), why));
}

/// Where a journal cannot be written: whether some of what was to appear together has, and some has not.
std::string half_done_at(const host::Folder& base, const std::string& transaction) {
    // What is a third one's may be anybody's invention.
    const std::unique_ptr<Journal> journal = Journal::may_count(base, transaction) ? Journal::look_at(base, transaction) : nullptr;
    const Done done = journal ? journal->read() : Done{};
    const auto waits = [&](const Move& move) {
        try {
            const host::Folder folder = base.below(move.folder);
            return is_of(transaction, move) && is_known_to_be_there(folder / move.part);
        } catch (const std::system_error&) {   // a folder elsewhere, or one that has gone
            return false;
        }
    };
    if (!done.moves || std::none_of(done.moves->begin(), done.moves->end(), waits)) return {};
    return "this user may not write there, or nobody may: files of two runs may lie side by side until a command is run there by who may";
}

/// Why something waits, for the user; empty: nothing does, or it is none of ours to tell.
std::string recover_at(const host::Folder& base, const std::string& transaction, Names& names, const Bounds& bounds,
                       const Patience& patience) {
    const std::unique_ptr<Journal> journal = Journal::take(base, transaction);
    if (!journal) return half_done_at(base, transaction);   // or its process is alive, or it has ended by now
    Done done = journal->read();
    if (done.strange)
        return fmt::format("its journal says what this version does not understand; another may, or remove {}*", transaction);
    const auto is_ours = [&](const Move& move) { return is_of(transaction, move); };
    if (done.moves && !std::all_of(done.moves->begin(), done.moves->end(), is_ours)) return {};
    const MovesByFolder moves = by_folder(done);
    const bool strays = journal->stranger() && reaches_beyond(done, moves, {});
    const bool may_be_us = !journal->stranger() || (strays && base.makes_for(*journal->stranger()));
    if (strays && !may_be_us) return {};
    const host::Writers writers = journal->writers();
    const auto others_wrote = [&] {
        if (journal->stranger()) return std::string();   // his to put in order
        return fmt::format("others may have written its journal, who have no rights on all that it speaks of; look at what is there, "
                           "put it in order by hand and remove {}*",
                           transaction);
    };
    if (!host::may_change(writers, base, base)) return others_wrote();
    Folders folders(base, transaction, *journal, may_be_us, patience);
    const FolderOf below = [&folders](const fs::path& folder) { return folders.below(folder); };
    if (bounds.top != nullptr && reaches_beyond(done, moves, bounds.elsewhere)) return {};
    done.copied = done.copied || has_other_numbers(done, below);
    const Elsewhere elsewhere = leave_elsewhere(base, done, folders, transaction, moves, bounds);
    if (elsewhere == Elsewhere::lives) return {};
    const bool waits = elsewhere == Elsewhere::waits;
    // All or nothing: what cannot be finished here is left to its user.
    const auto may_touch = [&](const fs::path& folder) { return folders.may_touch(folder); };
    if (!std::all_of(done.places.begin(), done.places.end(), may_touch)) return others_wrote();
    if (done.moves && !std::all_of(done.moves->begin(), done.moves->end(), [&](const Move& move) { return folders.may_move(move); }))
        return others_wrote();
    std::erase_if(done.made, [&](const fs::path& made) { return !may_touch(made.parent_path()) || folders.is_vouched_for(made.parent_path()); });
    if (done.copied && done.moves && !know_again(*done.moves, below))
        return fmt::format("the folder was copied in a way that keeps no times (or its file system gives files other numbers when "
                           "it is mounted), and new stores cannot be told from old ones; copy it once more (cp -a), or put the "
                           "right ones in their places and remove {}*",
                           transaction);
    if (done.copied && done.moves && !know_what_was_there(*done.moves, below))
        return fmt::format("its journal was made elsewhere and does not know the file that it would replace; look at what is there, put "
                           "it in order by hand and remove {}*",
                           transaction);
    if (done.moves && !done.undone) {
        try {
            go_forward(below, done, Gone::was_moved);
            for (const Move& move : *done.moves) below(move.folder).sync();
        } catch (const std::system_error& error) {   // somebody has put a file of his own there
            if (is_shortage(error.code())) throw Later{};
            if (done.forward) return error.code().message() + "; what belongs to it is in its place and stays there";
            const bool is_closed = error.code() == std::errc::permission_denied || error.code() == std::errc::read_only_file_system;
            if (is_closed && !journal->stranger()) return error.code().message();   // for the moment: who may write there goes on
            journal->undo();
            done.undone = true;
        }
        // What this run moves loses its way back below; what waits must not take it along when it cannot be moved.
        if (waits && !done.undone && !done.forward) journal->forward();
    }
    if (done.undone) go_back(below, done);
    const std::optional<unsigned> owner = done.copied ? journal->owner() : journal->stranger();
    const auto remove_in = [&](const host::Folder& folder, const fs::path& place) {
        std::vector<fs::path> files = names.of(folder, transaction);
        if (const auto in_it = moves.find(place); in_it != moves.end()) {
            for (const Move& move : in_it->second) {   // names that a kept list does not have yet
                files.emplace_back(move.part);
                if (!move.old.empty()) files.emplace_back(move.old);
            }
        }
        // Where others may not change the folder, nobody else has given anything there such a name.
        const bool by_names = folders.is_vouched_for(place);
        const MayEnter may_enter = [&](const host::Folder& inner) {
            return (!owner || inner.owner() == owner) && (by_names || host::may_change(writers, inner, base));
        };
        return remove_parts(folder, transaction, files, patience, done, may_enter);
    };
    bool gone = true;
    for (const fs::path& place : done.places) {
        try {
            gone = remove_in(below(place), place) && gone;
        } catch (const std::system_error& error) {   // the folder has gone
            gone = gone && leads_nowhere(error.code());
        }
    }
    gone = remove_in(base, ".") && gone;
    if (!gone) return {};   // without the journal nobody would know what may be removed
    if (waits)
        return fmt::format(
            "a report that belongs to it is in a folder that is not there now (another may have its name); where that does not "
            "come back, remove {}{}",
            transaction, journal_ending);
    if (!done.moves || done.undone) remove_made(base, done.made);
    std::error_code ignored;
    fs::remove(base / (transaction + journal_ending), ignored);
    return {};
}

std::string recover_one(const host::Folder& folder, const std::string& transaction, Names& names, const Bounds& bounds,
                        const Patience& patience) {
    // Beside its journal a transaction has no pointer: what seems to be one is a stranger's, who would lead us elsewhere.
    if (Journal::may_count(folder, transaction)) return recover_at(folder, transaction, names, bounds, patience);
    std::optional<Pointed> pointed;
    if (has_pointer(folder, transaction)) {
        pointed = pointed_to(folder, transaction);
        // Of a process that has ended meanwhile the journal knows this folder.
        if (!pointed || pointed->may_live || (pointed->path.is_absolute() && !pointed->is_as_mine)) return {};
    }
    const std::optional<host::Folder> base = pointed ? base_of(folder, pointed->path, bounds) : folder;
    if (!base) return {};
    if (is_known_to_be_there(*base / (transaction + journal_ending)))
        return recover_at(*base, transaction, names, bounds, patience);
    const std::string which = pointed ? which_folder(*base) : "";
    if (pointed && (which.empty() || which != pointed->which))
        return fmt::format("its journal is not in {}, which may be another folder than it means (that was moved, or is of "
                           "another machine or container); where that does not come back, remove {}* here",
                           show(*base / ""), transaction);
    // The journal comes first and goes last: nobody's any more.
    remove_parts(folder, transaction, names.of(folder, transaction), patience);
    return {};
}

void recover_in(const host::Folder& folder, const fs::path& path, const Bounds& bounds) {
    if (looked_at_lately(folder, path)) return;
    std::set<std::string> transactions;
    std::error_code ignored;
    for (const fs::path& name : host::names_of(folder / "", ignored))
        if (const auto transaction = transaction_of(name.string())) transactions.insert(*transaction);
    Names names;
    const Patience patience;
    for (const std::string& transaction : transactions) {
        if (is_own(transaction)) continue;
        try {
            patience.check();
            const std::string waits = recover_one(folder, transaction, names, bounds, patience);
            if (!waits.empty()) warn_of(path / transaction, waits);
        } catch (const Later& later) {
            if (!later.why.empty())
                warn_of(path / transaction, fmt::format("{}; the next run goes on, or remove {}*", later.why, transaction));
            return;
        } catch (const std::system_error& error) {   // its text has a path, which may be of another's folder
            if (!is_shortage(error.code())) warn_of(path / transaction, error.code().message());
        }
    }
}

}  // namespace

void look_again() {
    const std::lock_guard lock(looked().mutex);
    looked().at.clear();
}

void recover(const fs::path& folder) {
    const fs::path path = folder.empty() ? fs::path(".") : folder;
    try {
        recover_in(host::Folder::open(path), path, {});
    } catch (const std::system_error&) {   // it is not there, or none that may be looked into
    }
}

void recover_below(const host::Folder& top, const fs::path& relative, const fs::path& shown,
                   const std::set<fs::path>& elsewhere) {
    try {
        recover_in(top.below(relative), shown, {&top, relative, elsewhere});
    } catch (const std::system_error&) {   // it is not there, or has become a link
    }
}

}  // namespace parallax::io
