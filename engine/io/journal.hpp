// What a transaction does, on the disk: lines of a checksum and JSON. A line that was cut off does not count.
#pragma once

#include "parallax/host/json.hpp"
#include "support/file_identity.hpp"
#include "support/folder.hpp"
#include "support/writers.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace parallax::io {

/// By which a file is known again: what another has put in its place is none of it.
struct Was {
    std::uint64_t inode = 0;       ///< 0: nothing was there
    std::int64_t modified = 0;     ///< 0: a folder, which changes with what is in it
};

/// A file that goes to its place.
struct Move {
    std::filesystem::path folder;   ///< relative to the transaction's base; absolute: elsewhere
    std::string part, name;         ///< in that folder
    std::string old;                ///< another name there of what was there before; empty: nothing was
    std::uint64_t inode = 0, bytes = 0;
    bool folder_of_files = false;   ///< a folder, and all that is in it: `old` is there only from the moment when it moves
    bool overwrite = false;         ///< what somebody puts there meanwhile is replaced, too
    std::optional<Was> was{};       ///< what was there when it was committed; nothing: that is not known
    std::uint64_t old_inode = 0;    ///< of `old`, where that is a file: the same, or of a copy
    std::int64_t modified = 0;      ///< when what is new was last changed; 0: that is not known
    std::int64_t old_modified = 0;  ///< the same of a folder that was there before
};

struct Done {
    std::vector<std::filesystem::path> made;     ///< folders, before they were made
    std::set<std::filesystem::path> places;      ///< folders with parts
    std::map<std::filesystem::path, std::string> which;   ///< which_folder() of them, where a journal says that
    std::set<std::uint64_t> trees;               ///< numbers of folders that are removed with what is in them
    std::set<std::string> tree_names;            ///< and their names, by which they are known in a copy
    std::optional<std::vector<Move>> moves;      ///< it is committed
    bool forward = false;                        ///< all that could be moved is in its place for good; the rest waits
    bool undone = false;                         ///< or was about to be
    std::string number;                          ///< of the journal, when it was made; empty: it does not say
    bool copied = false;                         ///< the journal has another number now
    bool strange = false;                        ///< a line that was written whole says what this version does not know
};

class Journal {
public:
    /// Makes that of a new transaction, locked; nothing if somebody who cleans was faster: then another id is to be taken.
    static std::unique_ptr<Journal> make(const host::Folder& base, const std::string& transaction);
    /// That of a process that is no more, locked; nothing if there is none, or its process is alive, or nobody can tell, or if it
    /// is of another user than this process and the folder.
    static std::unique_ptr<Journal> take(const host::Folder& base, const std::string& transaction);
    /// The same, to be read alone: where this user may not write it, or nobody may.
    static std::unique_ptr<Journal> look_at(const host::Folder& base, const std::string& transaction);
    /// Whether there is one that take() could take: of this user or the folder's.
    static bool may_count(const host::Folder& base, const std::string& transaction);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// The user whose it is, where that is another than this process's.
    std::optional<unsigned> stranger() const noexcept { return stranger_; }
    /// The user whose it is.
    std::optional<unsigned> owner() const noexcept;
    /// Who may have written it beside him.
    host::Writers writers() const noexcept { return host::writers_of(descriptor_); }
    Done read() const;
    void made(const std::filesystem::path& folder);
    /// Of a folder before anything is in it: who comes to the base after a power cut finds what was begun there.
    void place(const std::filesystem::path& folder, const std::string& which, bool synced);
    /// Of a folder under a name of the transaction's, or about to get one. Without this line only what is empty is removed:
    /// somebody may have given another's folder such a name.
    void tree(std::uint64_t inode, const std::string& name, bool synced);
    void commit(const std::vector<Move>&, bool synced);
    /// What could be moved has been; from now on nothing of it goes back.
    void forward();
    void undo();

private:
    explicit Journal(int descriptor) : descriptor_(descriptor) {}
    static std::unique_ptr<Journal> make_file(const host::Folder& base, const std::string& transaction);
    void close() noexcept;
    /// Its own, and when it was made, as numbers come again; without its device's, which differs where a disk is mounted once
    /// more. Empty where the system has none.
    std::string number() const;
    void write(const Json&, bool sync);
    int descriptor_;
    std::size_t bytes_ = 0;     ///< of a journal that was made
    std::optional<unsigned> stranger_;
    std::string own_;   ///< the transaction, of a journal that was made
};

/// The folder of a move: one that is open already, or is opened now.
using FolderOf = std::function<host::Folder(const std::filesystem::path& of_move)>;
/// As a path.
std::filesystem::path name_of(const Move&);
/// What has the name is what was moved there.
bool is_in_place(const std::filesystem::path& to, const Move&);
/// What has the name is neither that nor what was there before: somebody has written it since. In a copy of the folder all files
/// have other numbers, and nothing is told.
bool is_later(const host::Folder&, const Move&);
/// What has the name now. Nothing: that is not to be known again (a link, whose file others may change).
std::optional<Was> was_there(const std::filesystem::path& to, bool folder_of_files);
/// A part that is not there was moved by a process that has ended; whoever moves his own knows that it was not.
enum class Gone { was_moved, is_lost };
/// Renames what is not in its place yet; the folders are not synced. Of a process that has ended nothing goes over what somebody
/// has written since. Throws std::system_error.
void go_forward(const FolderOf&, const Done&, Gone);
/// Brings back what was there before; where a folder has gone, there is nothing to bring back. Throws std::system_error.
void go_back(const FolderOf&, const Done&);
/// Removes folders that a transaction has made and that are empty.
void remove_made(const host::Folder& base, const std::vector<std::filesystem::path>& made) noexcept;

/// ".parallax-12-34-0123abcd", with which the names of all files of a transaction begin; nothing for names that no transaction
/// gives, from their beginning to their end.
std::optional<std::string> transaction_of(const std::string& name);
/// A name that whoever cleans may take for a transaction's file, and remove: nothing else should have one.
bool is_transaction_name(const std::string& name);
/// Whether this process is at it: it is nothing that another has left.
bool is_own(const std::string& transaction);
constexpr const char* transaction_prefix = ".parallax-";
constexpr const char* journal_ending = ".journal";
constexpr const char* base_ending = ".base";

}  // namespace parallax::io
