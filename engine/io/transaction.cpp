#include "io/transaction.hpp"

#include "io/copied_moves.hpp"
#include "io/file.hpp"
#include "io/folder_move.hpp"
#include "io/hints.hpp"
#include "io/io.hpp"
#include "io/journal.hpp"
#include "io/keep_mode.hpp"
#include "io/known_status.hpp"
#include "io/part_file.hpp"
#include "io/pointer.hpp"
#include "io/tree.hpp"
#include "parallax/host/error.hpp"
#include "support/platform.hpp"
#include "support/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

constexpr const char* permissions_hint = "look at the room and the permissions of its folder";

/// Names in one folder are exchanged: where that crosses from one device to another, it is a layer of a container's image.
const char* hint_for(const std::error_code& error) {
    if (error == std::errc::file_too_large) return file_limit_hint;
    if (too_many_are_open(error)) return open_files_hint;
    if (error == std::errc::file_exists)
        return "somebody has put a file there meanwhile, or the file system takes two of the names for one (A and a): use other "
               "names";
    return error == std::errc::cross_device_link ? "a folder in a layer below (of a container's image, of an overlay) cannot be "
                                                   "renamed: remove it first, or choose another name"
                                                 : permissions_hint;
}

std::atomic<std::uint64_t> bytes_left = std::numeric_limits<std::uint64_t>::max();

void check_left(std::uint64_t left, const fs::path& file, std::uint64_t bytes, const char* hint) {
    if (bytes > left)
        throw IoError(show(file), fmt::format("has {} bytes, and {} are left of the limit on outputs", bytes, left), hint);
}

/// What decides on a file's format, and a little more: whole characters, few enough for every file system.
std::string tail_of(const fs::path& name) {
    std::string text = show(name.filename());
    if (text.size() > 24) text = text.substr(text.size() - 24);
    while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xc0) == 0x80) text.erase(text.begin());
    return text;
}

/// Runs what throws the system's errors; they are told of `target`.
template <class F>
auto told_of(const fs::path& target, const char* what, F&& run) {
    try {
        return run();
    } catch (const std::system_error& error) {
        const bool linked =
            error.code() == std::errc::too_many_symbolic_link_levels || error.code() == std::errc::not_a_directory;
        throw IoError(show(target), fmt::format("{}: {}", what, error.code().message()),
                      linked ? "a link or a file stands where a folder should: remove it, or choose another folder"
                             : hint_for(error.code()));
    }
}

/// What a folder takes of a disk; --limit output counts it, as one may make thousands for each file.
constexpr std::uint64_t folder_bytes = 4096;

}  // namespace

Transaction::Transaction(fs::path base, How how)
    : base_(fs::absolute(base.empty() ? fs::path(".") : base).lexically_normal()), how_(how) {
    if (!base_.has_filename()) base_ = base_.parent_path();   // "out/" is "out"
}

Transaction::~Transaction() { clean(); }

void Transaction::limit(std::uint64_t bytes) { bytes_left = bytes; }

void Transaction::count(const fs::path& file, std::uint64_t bytes, const char* hint) {
    std::uint64_t left = bytes_left.load();
    do check_left(left, file, bytes, hint);
    while (!bytes_left.compare_exchange_weak(left, left - bytes));
}

void Transaction::count_folder(const fs::path& folder, const char* hint) { count(folder, folder_bytes, hint); }

void Transaction::check_limit(const fs::path& file, std::uint64_t bytes, const char* hint) {
    check_left(bytes_left.load(), file, bytes, hint);
}

void Transaction::count_back(std::uint64_t bytes) noexcept { bytes_left += bytes; }

std::uint64_t Transaction::left_of_limit() noexcept { return bytes_left.load(); }

bool Transaction::is_part(const fs::path& path) {
    const std::string name = path.filename().string();
    const auto transaction = transaction_of(name);
    return transaction && name[std::min(transaction->size(), name.size() - 1)] == '-';
}

namespace {

/// Another job that fails takes along the folders that it has made, until something of ours is in them: they are made once more.
/// `has_gone`: whether that is why it failed.
template <class Make, class HasGone>
decltype(auto) until_it_stays(Make&& make, HasGone&& has_gone) {
    constexpr int most = 100;
    for (int i = 1; i < most; ++i) {
        try {
            return make();
        } catch (const std::exception& error) {
            if (!has_gone(error)) throw;
        }
    }
    return make();
}

bool says_missing(const std::exception& error) {
    const auto* const code = dynamic_cast<const std::system_error*>(&error);
    return code != nullptr && code->code() == std::errc::no_such_file_or_directory;
}

}  // namespace

host::Folder Transaction::open_or_make(const fs::path& path) {
    if (!how_.strict) return until_it_stays([&] { return open_or_make_by_links(path); }, says_missing);
    const auto making = [&](const fs::path& folder) { made_above_.push_back(folder); };
    return told_of(path, "the folder cannot be opened or made without following links",
                   [&] { return until_it_stays([&] { return host::Folder::open_strictly(path, making); }, says_missing); });
}

host::Folder Transaction::open_or_make_by_links(const fs::path& path) {
    std::vector<fs::path> missing;
    for (fs::path at = path; !fs::exists(at) && at.has_relative_path(); at = at.parent_path()) missing.push_back(at);
    for (auto at = missing.rbegin(); at != missing.rend(); ++at) {
        std::error_code error;
        if (fs::create_directory(*at, error)) made_above_.push_back(*at);
        std::error_code unseen;
        const fs::file_status there = error ? fs::symlink_status(*at, unseen) : fs::file_status(fs::file_type::directory);
        const bool came_and_went = error == std::errc::file_exists && there.type() == fs::file_type::not_found;
        if (came_and_went || error == std::errc::no_such_file_or_directory)
            throw std::system_error(std::make_error_code(std::errc::no_such_file_or_directory));
        if (!fs::is_directory(there) && !fs::is_directory(*at))
            throw IoError(show(*at), "the folder cannot be made: " + error.message(), "choose another folder");
    }
    return host::Folder::open(path);
}

void Transaction::begin() {
    const auto make = [&] {
        known_.clear();
        folder_.reset();
        folder_ = open_or_make(base_);
        known_as(*folder_, ".");
        if (how_.strict) recover_below(*folder_, ".", base_);
        else recover(*folder_ / ".");
        while (!journal_) {
            id_ = transaction_prefix + host::platform::unique_suffix();
            journal_ = Journal::make(*folder_, id_);
        }
    };
    until_it_stays(make, [&](const std::exception&) { return folder_ && folder_->has_gone(); });
}

const host::Folder& Transaction::place(const fs::path& relative) {
    if (!journal_) begin();
    if (const auto known = places_.find(relative); known != places_.end()) return known->second;
    const auto has_gone = [&](const std::exception& error) {
        const auto opened = places_.find(relative);
        const bool gone = opened != places_.end() ? opened->second.has_gone() : says_missing(error);
        if (gone) forget(relative);
        return gone;
    };
    return until_it_stays([&]() -> const host::Folder& { return make_place(relative); }, has_gone);
}

void Transaction::forget(const fs::path& place) {
    places_.erase(place);
    std::erase_if(known_, [&](const auto& known) { return known.second == place; });
}

const host::Folder& Transaction::make_place(const fs::path& relative) {
    const host::Folder folder = folder_->make(relative, [&](const fs::path& part) {
        count(base_ / part, folder_bytes);
        journal_->made(part);
        made_.push_back(part);
    });
    const bool is_new = relative != "." && !known_as(folder, relative);
    if (is_new) {
        if (how_.strict) recover_below(*folder_, relative, base_ / relative);
        else recover(folder / ".");
        journal_->place(relative, which_folder(folder), how_.synced);
    }
    const host::Folder& place = places_.emplace(relative, folder).first->second;   // from now on it is cleaned
    if (is_new) point_to_base(place, relative);
    return place;
}

/// By which path a folder is this transaction's already: what is mounted in two places is one. Where it is none, by this from now on.
std::optional<fs::path> Transaction::known_as(const host::Folder& folder, const fs::path& path) {
    const auto identity = host::identity_of(folder / ".");
    if (!identity || identity->inode == 0) return std::nullopt;
    const auto [known, is_new] = known_.try_emplace({identity->device, identity->inode}, path);
    return is_new ? std::nullopt : std::optional(known->second);
}

/// Whether what the journal says of a folder counts there by its pointer alone: elsewhere, and where others may write the journal and
/// not change the folder.
bool Transaction::needs_notes(const fs::path& place) const {
    return place.is_absolute() || !host::may_change(journal_->writers(), places_.at(place), *folder_);
}

void Transaction::point_to_base(const host::Folder& folder, const fs::path& relative) {
    try {
        pointers_[relative] = write_pointer(folder, id_, relative, *folder_, how_.synced);
    } catch (const IoError& error) {   // of a name that nobody knows
        throw IoError(show(base_ / relative), error.problem, error.hint);
    }
}

/// Folders elsewhere that are this transaction's, and its base: another one's files may be there as well.
std::set<fs::path> Transaction::reached(const fs::path& folder) const {
    std::set<fs::path> all{base_, folder};
    for (const auto& [place, opened] : places_)
        if (place.is_absolute()) all.insert(place);
    return all;
}

/// Among places_: below the base, by whatever way it is written, or absolute.
fs::path Transaction::folder_beside(const fs::path& target) {
    const fs::path path = fs::absolute(target).lexically_normal().parent_path();
    if (!journal_) {
        base_ = path;
        return ".";
    }
    // Of a link that somebody puts there after this look, no more follows than that both ways are taken to be apart.
    const fs::path real = how_.strict ? path : fs::weakly_canonical(path);
    const fs::path inside = real.lexically_relative(how_.strict ? base_ : fs::canonical(*folder_ / "."));
    if (!inside.empty() && *inside.begin() != "..") return inside;
    std::optional<host::Folder> folder;
    const auto make = [&] {
        folder.reset();
        folder = open_or_make(path);
        return make_place_beside(*folder, path);
    };
    return until_it_stays(make, [&](const std::exception&) { return folder && folder->has_gone(); });
}

fs::path Transaction::make_place_beside(const host::Folder& folder, const fs::path& path) {
    const fs::path key = fs::canonical(folder / ".");
    if (const auto known = known_as(folder, key)) {
        places_.emplace(*known, folder);
        return *known;
    }
    if (how_.strict) recover_below(folder, ".", path, reached(key));
    else recover(folder / ".");
    told_of(base_, "the journal cannot be written", [&] { journal_->place(key, which_folder(folder), how_.synced); });
    try {
        point_to_base(places_.emplace(key, folder).first->second, key);
    } catch (const std::exception&) {
        forget(key);
        throw;
    }
    return key;
}

/// Of a folder below the base. A link there that stays below it stands for what it leads to.
fs::path Transaction::relative_of(const fs::path& folder) const {
    fs::path relative = folder.lexically_relative(base_);
    std::error_code error;
    for (fs::path at = folder; at != base_ && at.has_relative_path(); at = at.parent_path()) {
        if (!fs::is_symlink(at, error)) continue;
        relative = fs::weakly_canonical(folder, error).lexically_relative(fs::weakly_canonical(base_, error));
        break;
    }
    if (relative.begin() != relative.end() && *relative.begin() == "..")
        throw IoError(show(folder), "lies behind a link that leads elsewhere", "remove the link, or choose another folder");
    return relative.empty() ? fs::path(".") : relative;
}

/// Empty, and known to the journal before anything is in it.
void Transaction::make_folder(const host::Folder& place, Entry& entry) {
    std::error_code error;
    fs::create_directory(place / entry.part, error);
    if (error) throw std::system_error(error, entry.part);
    const auto identity = host::identity_of(place / entry.part);
    if (!identity) return;
    entry.inode = identity->inode;
    journal_->tree(identity->inode, entry.part, how_.synced);
}

/// What has the name of a part must be the folder that was made: no link that somebody has put there.
void Transaction::check_folder(const Entry& entry) const {
    const fs::path part = places_.at(entry.folder) / entry.part;
    std::error_code error;
    const auto identity = host::identity_of(part);
    if (!fs::is_directory(fs::symlink_status(part, error)) || !identity || identity->inode != entry.inode)
        throw IoError(show(entry.target), "has gone before it was in its place", "leave hidden files alone while a job runs");
}

/// In the folder that is held, whatever its path means by now.
void Transaction::check_place(const host::Folder& place, const fs::path& target, Form form) const {
    // Of a stranger's link nothing is told: it is replaced, whatever is behind it.
    if (how_.strict && told_of(target, "what is there cannot be looked at",
                               [&] { return fs::is_symlink(known_status(place / target.filename())); }))
        return;
    try {
        check_replaceable(place / target.filename(), form == Form::folder);
    } catch (const IoError& error) {
        throw IoError(show(target), error.problem, error.hint);
    }
}

fs::path Transaction::add(const fs::path& target, const std::function<void(const fs::path&)>& produce, Form form) {
    const fs::path relative = relative_of(fs::absolute(target).lexically_normal().parent_path());
    return add_to(relative, {target, {}, {}, {}, form, how_.overwrite}, produce);
}

fs::path Transaction::add_beside(const fs::path& target, bool overwrite, const std::function<void(const fs::path&)>& produce) {
    if (!how_.strict || !overwrite) check_target(target, overwrite, false);   // else in the folder that is held
    const fs::path folder = told_of(target, "cannot be written", [&] { return folder_beside(target); });
    return add_to(folder, {target, {}, {}, {}, Form::file, overwrite}, produce);
}

fs::path Transaction::add_to(const fs::path& relative, Entry added, const std::function<void(const fs::path&)>& produce) {
    const fs::path& target = added.target;
    return told_of(target, "cannot be written", [&] {
        const host::Folder& folder = place(relative);
        check_place(folder, target, added.form);
        added.folder = relative;
        added.part = fmt::format("{}-{}-{}", id_, entries_.size(), tail_of(target));
        entries_.push_back(added);
        if (const auto pointer = pointers_.find(relative); pointer != pointers_.end() && needs_notes(relative))
            add_to_pointer(pointer->second, added.part, show(target.filename()), added.overwrite, how_.synced);
        const fs::path part = folder / entries_.back().part;
        const bool is_folder = added.form == Form::folder;
        if (is_folder) make_folder(folder, entries_.back());
        const fs::path old = folder / target.filename();
        std::error_code gone;
        const fs::file_status was = told_of(target, "what is there cannot be looked at", [&] {
            return added.overwrite ? known_status(old) : fs::file_status();   // it says how open the new one may be
        });
        const bool replaces_tree = is_folder && fs::is_directory(was), replaces_file = !is_folder && fs::exists(was);
        const fs::perms given = replaces_tree ? close_to_others(part) : fs::perms::unknown;   // before anything is in it
        if (replaces_file) make_part_as_closed(old, part);
        try {
            produce(part);
        } catch (const IoError& error) {   // the user knows the file by the name that it will have
            throw IoError(show(target), error.problem, error.hint);
        }
        if (replaces_tree) keep_modes_of_tree(old, part, given);
        if (replaces_file) keep_mode(old, part);
        const TreeSize size = is_folder ? size_of_tree(part) : TreeSize{fs::file_size(part, gone), 0};
        if (!gone) count(target, size.bytes);
        if (is_folder) count(target, folder_bytes * size.folders, "each folder in it counts 4 KiB: raise the limit, or write less");
        return part;
    });
}

fs::path Transaction::staged(const fs::path& target) const {
    const fs::path wanted = fs::absolute(target).lexically_normal();
    for (const Entry& entry : entries_)
        if (fs::absolute(entry.target).lexically_normal() == wanted) return places_.at(entry.folder) / entry.part;
    return target;
}

void Transaction::sync() {
    if (!how_.synced) return;
    for (Entry& entry : entries_) {
        if (entry.synced) continue;
        told_of(entry.target, "cannot be written", [&] {
            const fs::path part = places_.at(entry.folder) / entry.part;
            entry.form == Form::folder ? sync_tree(part) : host::sync_file(part);
        });
        entry.synced = true;
    }
}

void Transaction::commit() {
    sync();
    for (const Entry& entry : entries_) {
        if (entry.form == Form::folder) check_folder(entry);
        check_place(places_.at(entry.folder), entry.target, entry.form);   // somebody may have put something there meanwhile
    }
    const auto replaces_by_folder = [this](const Entry& entry) {
        std::error_code ignored;
        return entry.form == Form::folder && entry.overwrite &&
               fs::exists(fs::symlink_status(places_.at(entry.folder) / entry.target.filename(), ignored));
    };
    if (entries_.size() == 1 && !replaces_by_folder(entries_.front())) {   // one renaming is whole by itself
        const Entry& entry = entries_.front();
        const host::Folder& folder = places_.at(entry.folder);
        const fs::path from = folder / entry.part, to = folder / entry.target.filename();
        std::error_code error;
        if (entry.overwrite) fs::rename(from, to, error);
        else error = host::rename_to_free(from, to);
        if (error == std::errc::file_exists && !entry.overwrite)
            throw IoError(show(entry.target), "appeared while it was being written",
                          "use --overwrite to replace it, or another name");
        // Another's folder came between the look at the place and this.
        if (error && replaces_by_folder(entry)) put_in_place();
        else if (error) throw IoError(show(entry.target), "cannot be put in place: " + error.message(), permissions_hint);
    } else if (!entries_.empty()) {
        put_in_place();
    }
    committed_ = true;
    if (!entries_.empty() && how_.synced)
        told_of(entries_.front().target, "is in its place, but may not outlast a power cut", [&] {
            for (const Entry& entry : entries_) places_.at(entry.folder).sync();
            std::set<fs::path> changed;
            for (const fs::path& folder : made_) changed.insert(folder.has_parent_path() ? folder.parent_path() : fs::path("."));
            for (const fs::path& folder : changed) folder_->below(folder).sync();
            for (const fs::path& folder : made_above_) host::Folder::open(folder.parent_path()).sync();
        });
    clean();
}

/// Not by fs::copy_file(), which gives up where rights cannot be set, as on FAT that is mounted for somebody else.
void Transaction::copy_aside(const Entry& entry, const fs::path& from, const fs::path& to) {
    try {
        if (fs::is_directory(fs::symlink_status(from))) throw std::system_error(std::make_error_code(std::errc::is_a_directory));
        std::ifstream old(from, std::ios::binary);
        if (!old) throw std::system_error(errno, std::generic_category());
        make_part_as_closed(from, to);   // as long as it is not whole, nobody else reads it
        File copy = File::create(to);
        std::vector<char> some(1 << 16);
        while (old.read(some.data(), static_cast<std::streamsize>(some.size())), old.gcount() > 0)
            copy.write(some.data(), static_cast<std::size_t>(old.gcount()));
        if (old.bad()) throw std::system_error(EIO, std::generic_category());
        copy.close();
        keep_mode(from, to);
    } catch (const std::system_error& error) {
        throw IoError(show(entry.target), "cannot be replaced: " + error.code().message(), hint_for(error.code()));
    } catch (const IoError& error) {   // of the copy, whose name nobody knows
        throw IoError(show(entry.target), "cannot be replaced: a copy of it " + error.problem, error.hint);
    }
}

/// What is there before gets another name beside its own, by which it can come back. In a folder's place it loses its own first
/// when the new one has come, and the journal has to know that it may go with all that is in it.
void Transaction::set_aside(Entry& entry, const host::Folder& place, std::size_t number) {
    const fs::path to = place / entry.target.filename();
    entry.old = fmt::format("{}-old-{}", id_, number);
    std::error_code error;
    if (entry.form == Form::folder) {
        const bool folder = fs::is_directory(fs::symlink_status(to, error));
        if (folder && !is_store(to))   // somebody has made it while the job ran
            throw IoError(show(entry.target), "is a folder and no Zarr store",
                          "choose another name: what is in it is not removed");
        const auto identity = folder ? host::identity_of(to) : std::nullopt;
        if (identity) told_of(entry.target, "cannot be replaced", [&] { journal_->tree(identity->inode, entry.old, how_.synced); });
        return;
    }
    fs::create_hard_link(to, place / entry.old, error);
    if (error) {   // a file system without links, or a folder
        copy_aside(entry, to, place / entry.old);
        if (how_.synced) told_of(entry.target, "cannot be replaced", [&] { host::sync_file(place / entry.old); });
    }
}

void Transaction::put_in_place() {
    std::vector<Move> moves;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        Entry& entry = entries_[i];
        const host::Folder& folder = places_.at(entry.folder);
        const fs::path to = folder / entry.target.filename();
        const auto identity = host::identity_of(folder / entry.part);
        if (!identity)
            throw IoError(show(entry.target), "has gone before it was in its place", "leave hidden files alone while a job runs");
        std::error_code error;
        const bool is_folder = entry.form == Form::folder;
        const std::optional<Was> was = was_there(to, is_folder);
        if (fs::exists(fs::symlink_status(to, error))) {
            if (!entry.overwrite)
                throw IoError(show(entry.target), "has appeared while the job ran", "use --overwrite to replace it");
            set_aside(entry, folder, i);
        }
        // A folder of before still has its name.
        const auto old = entry.old.empty() ? std::nullopt : is_folder ? host::identity_of(to) : host::identity_of(folder / entry.old);
        const bool replaces_folder = old && is_folder;
        const std::int64_t modified =
            replaces_folder ? keep_apart(folder / entry.part, identity->modified, old->modified) : identity->modified;
        moves.push_back({entry.folder, entry.part, show(entry.target.filename()), entry.old, identity->inode, identity->bytes,
                         is_folder, entry.overwrite, was, old && !is_folder ? old->inode : 0, modified,
                         replaces_folder ? old->modified : 0});
    }
    // All that asks for memory comes before the commit.
    Done done;
    done.moves = moves;
    // Folders that are open: where the process may open no more, it can still finish or go back.
    const FolderOf open = [this](const fs::path& folder) { return places_.at(folder); };
    told_of(entries_.front().target, "cannot be put in place", [&] {
        if (how_.synced) {
            for (const Entry& entry : entries_) places_.at(entry.folder).sync();
            folder_->sync();
        }
        journal_->commit(moves, how_.synced);
    });
    left_ = true;   // whoever comes next goes on with it, whatever ends this
    const auto undo = [&]() noexcept {
        try {
            journal_->undo();
            go_back(open, done);
            left_ = false;
        } catch (const std::exception&) {   // not even for that is there a disk, or memory
        }
    };
    try {
        go_forward(open, done, Gone::is_lost);
        left_ = false;
    } catch (const std::system_error& error) {
        undo();
        throw IoError(
            show(entries_.front().target),
            fmt::format("cannot be put in place, nor can those beside it: {} ({})", error.code().message(), error.what()),
            left_ ? "the next command that reads or writes there finishes or undoes it" : hint_for(error.code()));
    } catch (const std::exception&) {
        undo();
        throw;
    }
}

/// What is left of it beside its target. False: something could not be removed.
bool Transaction::remove_entry(const Entry& entry) {
    const host::Folder& folder = places_.at(entry.folder);
    if (entry.form == Form::folder) return remove_moved(folder, entry.part, entry.old);
    std::error_code stays, old_stays;
    if (!committed_) fs::remove(folder / entry.part, stays);
    if (!entry.old.empty()) fs::remove(folder / entry.old, old_stays);
    return !stays && !old_stays;
}

void Transaction::clean() noexcept {
    try {
        std::error_code ignored;
        const auto let_go = [this] {
            pointers_.clear();
            journal_.reset();
        };
        if (left_) return let_go();
        if (journal_) {
            for (const Entry& entry : entries_) {
                if (remove_entry(entry)) continue;
                left_ = true;
                if (committed_)
                    host::warn_once(
                        fmt::format("{}: what it has replaced cannot be removed, and stays hidden beside it as {}* until a run in "
                                    "that folder may remove it: look at its permissions, the disk, and the limit of open files",
                                    show(entry.target), id_));
            }
            if (left_) return let_go();   // without the journal nobody would know what may be removed
            for (const auto& [relative, folder] : places_)
                if (relative != ".") fs::remove(folder / (id_ + base_ending), ignored);
            pointers_.clear();   // NFS keeps what is open in its folder, which could then not be removed
            if (!committed_) remove_made(*folder_, made_);
            fs::remove(*folder_ / (id_ + journal_ending), ignored);   // the last, and before it is let go
            journal_.reset();
        }
        if (!committed_)
            for (auto folder = made_above_.rbegin(); folder != made_above_.rend(); ++folder) host::remove_empty_folder(*folder);
    } catch (const std::exception&) {   // no memory: whoever comes next cleans
    }
}

}  // namespace parallax::io
