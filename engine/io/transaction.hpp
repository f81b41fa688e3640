// Several files appear together or not at all, over old ones too, whatever ends the process or the machine meanwhile.
//
//   out/.parallax-<id>.journal        what it does; there before all others and longer, locked by the process that does it
//   out/.parallax-<id>-0-holo.png     a new file, until it is moved to its place
//   out/.parallax-<id>-old-0          another name of the file that was there before
//   out/a/.parallax-<id>.base         in each further folder: where the journal is
//   logs/.parallax-<id>-2-run.json    a report, which may lie anywhere, with a .base of its own beside it
//
//   1. Each file is written there, and synced.
//   2. The line "commit" is synced into the journal, if there are several files. This is the moment at which they are there.
//   3. Each is renamed to its place. The folders are synced, and the transaction's own files are removed.
//
// A folder can be a target, too, with all that is in it: one renaming puts it in its place, and where a folder is replaced the
// new one and the old exchange their names (io/folder_move.hpp), so that nothing of the old one is left in it. Such a replacement
// is written into the journal even if it is alone, since the old one has to be removed file by file.
//
// Files and not folders of its own: making one takes ext4 a millisecond, and what is written in it lies far from its place.
//
// A process that dies before 2 has done nothing, and after 2 all: recover() finishes or undoes what it left. Where 3 fails (a
// folder that is full or has become somebody else's), the line "undo" goes into the journal, and the old files come back.
#pragma once

#include "support/folder.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace parallax::io {

class Journal;

class Transaction {
public:
    struct How {
        bool overwrite = false;
        bool synced = true;   ///< what is committed outlasts a power cut; else the end of the process, and commit() does not wait
        bool strict = false;   ///< no link is followed on the way to the base: somebody else may put some there
    };
    /// All files lie below `base`, which is made where it is missing.
    Transaction(std::filesystem::path base, How how);
    /// Takes everything back that has not been committed, folders that were made for it included.
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    enum class Form { file, folder };
    /// `produce` writes the file that it is given, or into the empty folder, whose name ends as the target's does. Returns that
    /// path, good until commit(). Where something stands that may not be replaced it throws before that.
    std::filesystem::path add(const std::filesystem::path& target,
                              const std::function<void(const std::filesystem::path&)>& produce, Form = Form::file);
    /// Throws IoError; then no file has changed, unless may_be_there(). Once.
    void commit();
    /// Also where commit() threw: files are in their places and may not outlast a power cut, or the next command puts them there.
    bool may_be_there() const noexcept { return committed_ || left_; }

    /// The same for a file that may lie anywhere, in a folder that is made where it is missing, and has its own rule for what is
    /// there: a report. Added last; where nothing else was, its folder takes the place of the base.
    std::filesystem::path add_beside(const std::filesystem::path& target, bool overwrite,
                                     const std::function<void(const std::filesystem::path&)>& produce);
    /// Where a file that was added stands until commit(); others are where they are.
    std::filesystem::path staged(const std::filesystem::path& target) const;
    /// Puts what was added until now where a power cut does not reach it, which commit() need not do any more. Throws IoError.
    void sync();

    /// The most bytes that all transactions of this process together may write from now on: what is beyond is an IoError of
    /// add().
    static void limit(std::uint64_t bytes);
    /// Counts what is written beside transactions, before it is. Throws IoError where so much is not left.
    static void count(const std::filesystem::path& file, std::uint64_t bytes, const char* hint = "raise the limit, or write less");
    /// The same of a folder, as add() counts those that it makes.
    static void count_folder(const std::filesystem::path& folder, const char* hint);
    /// Throws what count() would throw, and counts nothing: of a file that add() counts.
    static void check_limit(const std::filesystem::path& file, std::uint64_t bytes, const char* hint);
    /// So much of what was counted is there no more.
    static void count_back(std::uint64_t bytes) noexcept;
    /// How many are left of them: what writes many files stops there.
    static std::uint64_t left_of_limit() noexcept;
    /// Whether a file is one that add() has asked for: nobody else's, and written where it stands.
    static bool is_part(const std::filesystem::path&);

private:
    struct Entry {
        std::filesystem::path target;     ///< as the caller wrote it
        std::filesystem::path folder;     ///< relative to the base; absolute: elsewhere
        std::string part, old;
        Form form = Form::file;
        bool overwrite = false, synced = false;
        std::uint64_t inode = 0;   ///< of a folder that was made
    };
    std::filesystem::path add_to(const std::filesystem::path& folder, Entry,
                                 const std::function<void(const std::filesystem::path&)>&);
    std::filesystem::path folder_beside(const std::filesystem::path& target);
    std::set<std::filesystem::path> reached(const std::filesystem::path& folder) const;
    host::Folder open_or_make(const std::filesystem::path&);
    host::Folder open_or_make_by_links(const std::filesystem::path&);
    std::filesystem::path make_place_beside(const host::Folder&, const std::filesystem::path&);
    const host::Folder& make_place(const std::filesystem::path& relative);
    void forget(const std::filesystem::path& place);
    bool needs_notes(const std::filesystem::path& place) const;
    void point_to_base(const host::Folder& folder, const std::filesystem::path& relative);
    void make_folder(const host::Folder& place, Entry&);
    void check_folder(const Entry&) const;
    void check_place(const host::Folder& place, const std::filesystem::path& target, Form) const;
    static void copy_aside(const Entry&, const std::filesystem::path& from, const std::filesystem::path& to);
    void set_aside(Entry&, const host::Folder& place, std::size_t number);
    bool remove_entry(const Entry&);
    std::filesystem::path relative_of(const std::filesystem::path& folder) const;
    const host::Folder& place(const std::filesystem::path& relative);
    std::optional<std::filesystem::path> known_as(const host::Folder&, const std::filesystem::path&);
    void begin();
    void put_in_place();
    void clean() noexcept;

    std::filesystem::path base_;
    How how_;
    bool committed_ = false, left_ = false;
    std::string id_;
    std::vector<std::filesystem::path> made_above_;   ///< `base`, folders elsewhere and what they needed, outer ones first
    std::vector<std::filesystem::path> made_;         ///< below it
    std::optional<host::Folder> folder_;              ///< `base`
    std::unique_ptr<Journal> journal_;
    std::map<std::filesystem::path, host::Folder> places_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::filesystem::path> known_;   ///< those and the base by their numbers
    std::map<std::filesystem::path, std::shared_ptr<const void>> pointers_;   ///< by folder, locked, as the journal is: others see by them that this lives
    std::vector<Entry> entries_;
};

/// Finishes or undoes what processes that are no more have left in a folder. What cannot be dealt with (another user's, a folder
/// that may not be written) is left as it is.
void recover(const std::filesystem::path& folder);
/// The same for a folder below one that is held, where somebody else may put anything: nothing that is not below `top` is looked
/// at or told of but the folders `elsewhere`, by absolute paths without links. What reaches elsewhere is left as it is.
/// `shown`: its path, for messages.
void recover_below(const host::Folder& top, const std::filesystem::path& relative, const std::filesystem::path& shown,
                   const std::set<std::filesystem::path>& elsewhere = {});
/// Both pass over a folder that was looked at in the last seconds, since a series of thousands of files would have it looked at before
/// each. From here on none is passed over: for a job, which must not see what another process has half done.
void look_again();

}  // namespace parallax::io
