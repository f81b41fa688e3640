#include "io/journal.hpp"

#include "io/file.hpp"
#include "io/folder_move.hpp"
#include "io/io.hpp"
#include "io/known_status.hpp"
#include "io/one_name.hpp"
#include "support/birth_time.hpp"
#include "support/file_lock.hpp"
#include "support/octets.hpp"
#include "support/json_outline.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t checksum_length = 16;
constexpr std::size_t longest = std::size_t{64} << 20;   // a line for each file; whoever comes next reads no more

std::string text_of(const fs::path& path) {
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

fs::path path_of(const std::string& text) { return fs::path(std::u8string(text.begin(), text.end())); }

#if defined(_WIN32)
constexpr std::string_view separators = "/\\";
#else
constexpr std::string_view separators = "/";
#endif

/// A name in a folder, and nothing that leads elsewhere: a journal may have been written by anybody.
bool is_name(const std::string& text) {
    return !text.empty() && text != "." && text != ".." && text.find_first_of(separators) == std::string::npos &&
           text.find('\0') == std::string::npos;
}

/// `overwrite`: of moves that do not say.
std::optional<std::vector<Move>> moves_from(const Json& list, bool overwrite) {
    std::vector<Move> moves;
    for (const Json& json : list) {
        Move move;
        move.folder = path_of(json.at("folder").get<std::string>()).lexically_normal();
        move.part = json.at("part").get<std::string>();
        move.name = json.at("name").get<std::string>();
        move.old = json.at("old").get<std::string>();
        move.inode = json.at("inode").get_ref<const std::uint64_t&>();
        move.bytes = json.at("bytes").get_ref<const std::uint64_t&>();
        move.folder_of_files = json.value("folder_of_files", false);
        move.overwrite = json.value("overwrite", overwrite);
        if (json.contains("was"))
            move.was = {json.at("was").at(0).get_ref<const std::uint64_t&>(), json.at("was").at(1).get<std::int64_t>()};
        move.old_modified = json.value("old_modified", std::int64_t{0});
        if (json.contains("modified")) move.modified = json.at("modified").get<std::int64_t>();
        if (json.contains("old_inode")) move.old_inode = json.at("old_inode").get_ref<const std::uint64_t&>();
        if (!is_name(move.part) || !is_name(move.name) || (!move.old.empty() && !is_name(move.old))) return std::nullopt;
        moves.push_back(std::move(move));
    }
    return moves;
}

/// What a line says; nothing where it was cut off.
std::optional<std::string> text_in(const std::string& line) {
    if (line.size() <= checksum_length + 1 || line[checksum_length] != ' ') return std::nullopt;
    const std::string text = line.substr(checksum_length + 1);
    if (hash_text(text).compare(0, checksum_length, line, 0, checksum_length) != 0) return std::nullopt;
    return text;
}

std::string line_of(const Json& json) {
    const std::string text = host::with_octets_as_text(json).dump(-1, ' ', false, Json::error_handler_t::replace);
    return hash_text(text).substr(0, checksum_length) + ' ' + text + '\n';
}

/// False where a line says what no journal of ours says.
bool understand(const std::string& text, Done& done) {
    const std::optional<Json> written = parse_shallow(text);
    if (!written || !written->is_object()) return false;
    const Json json = host::with_text_as_octets(*written);
    try {
        if (json.contains("made")) done.made.push_back(path_of(json.at("made").get<std::string>()));
        if (json.contains("place")) {
            const fs::path place = path_of(json.at("place").get<std::string>()).lexically_normal();
            done.places.insert(place);
            if (json.contains("which")) done.which[place] = json.at("which").get<std::string>();
        }
        if (json.contains("number")) done.number = json.at("number").get<std::string>();
        if (json.contains("tree")) {
            done.trees.insert(json.at("tree").get_ref<const std::uint64_t&>());
            if (json.contains("name")) done.tree_names.insert(json.at("name").get<std::string>());
        }
        if (json.contains("forward")) done.forward = true;
        if (json.contains("undo")) done.undone = true;
        if (json.contains("commit")) {
            done.moves = moves_from(json.at("commit"), json.at("overwrite").get<bool>());
            return done.moves.has_value();
        }
        return true;
    } catch (const Json::exception&) {
        return false;
    }
}

void move_to(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) throw std::system_error(error, show(to));
}

void move_back(const host::Folder& folder, const Move& move) {
    if (move.folder_of_files) return folder_back(folder, move);
    const fs::path to = folder / path_of(move.name);
    if (!move.old.empty()) {
        if (is_known_to_be_there(folder / move.old) && !is_later(folder, move)) move_to(folder / move.old, to);
        return;
    }
    if (is_known_to_be_there(folder / move.part)) return;
    std::error_code error;
    if (is_in_place(to, move)) fs::remove(to, error);   // only what is ours
    if (error) throw std::system_error(error, move.name);
}

/// Transactions of this process that go on.
struct Own {
    std::mutex mutex;
    std::set<std::string> transactions;
};

Own& own() {
    static Own& own = *new Own;   // to the end: objects of the host's may write after main()
    return own;
}

}  // namespace

#if defined(_WIN32)

// Shared with nobody: that is the lock.
std::unique_ptr<Journal> Journal::make_file(const host::Folder& base, const std::string& transaction) {
    int file = -1;
    if (_wsopen_s(&file, (base / (transaction + journal_ending)).c_str(), _O_RDWR | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                  _SH_DENYRW, _S_IREAD | _S_IWRITE) != 0)
        throw std::system_error(errno, std::generic_category(), (base / (transaction + journal_ending)).string());
    return std::unique_ptr<Journal>(new Journal(file));
}

std::unique_ptr<Journal> Journal::take(const host::Folder& base, const std::string& transaction) {
    int file = -1;
    if (_wsopen_s(&file, (base / (transaction + journal_ending)).c_str(), _O_RDWR | _O_BINARY | _O_NOINHERIT, _SH_DENYRW, 0) != 0)
        return nullptr;
    return std::unique_ptr<Journal>(new Journal(file));
}

std::unique_ptr<Journal> Journal::look_at(const host::Folder&, const std::string&) { return nullptr; }
void Journal::close() noexcept { _close(descriptor_); }
std::string Journal::number() const { return {}; }
std::optional<unsigned> Journal::owner() const noexcept { return std::nullopt; }

Done Journal::read() const {
    std::string all(static_cast<std::size_t>(_filelength(descriptor_)), '\0');
    _lseek(descriptor_, 0, SEEK_SET);
    const int got = _read(descriptor_, all.data(), static_cast<unsigned>(all.size()));
    all.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
#else

std::unique_ptr<Journal> Journal::make_file(const host::Folder& base, const std::string& transaction) {
    const fs::path path = base / (transaction + journal_ending);
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_APPEND,
                            static_cast<mode_t>(host::rights_of_record(base / ".")));
    if (file < 0) throw std::system_error(errno, std::generic_category(), path.string());
    std::unique_ptr<Journal> journal(new Journal(file));
    // A file system without locks: nobody else can lock it either, and nobody touches what cannot be locked.
    if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return nullptr;
    struct stat status{};
    if (::fstat(file, &status) != 0) {   // not for the next moment: whoever tries again makes one more
        const std::error_code unknown(errno, std::generic_category());
        ::unlink(path.c_str());
        throw std::system_error(unknown, path.string());
    }
    return status.st_nlink > 0 ? std::move(journal) : nullptr;
}

std::unique_ptr<Journal> Journal::take(const host::Folder& base, const std::string& transaction) {
    const int file = ::open((base / (transaction + journal_ending)).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_APPEND);
    if (file < 0) return nullptr;
    std::unique_ptr<Journal> journal(new Journal(file));
    struct stat status{};
    if (::flock(file, LOCK_EX | LOCK_NB) != 0 || ::fstat(file, &status) != 0 || status.st_nlink == 0 || !S_ISREG(status.st_mode))
        return nullptr;
    // A journal renames and removes with the rights of who reads it. In a folder where anybody may put one (/tmp) those of others
    // are theirs to finish.
    if (status.st_uid == ::geteuid()) return journal;
    if (!base.is_of(status.st_uid)) return nullptr;
    journal->stranger_ = status.st_uid;
    return journal;
}

std::unique_ptr<Journal> Journal::look_at(const host::Folder& base, const std::string& transaction) {
    const int file = ::open((base / (transaction + journal_ending)).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return nullptr;
    std::unique_ptr<Journal> journal(new Journal(file));
    struct stat status{};
    const bool is_left = ::flock(file, LOCK_SH | LOCK_NB) == 0 && ::fstat(file, &status) == 0 && status.st_nlink > 0;
    return is_left && S_ISREG(status.st_mode) ? std::move(journal) : nullptr;
}

void Journal::close() noexcept { ::close(descriptor_); }

std::string Journal::number() const {
    const auto identity = host::identity_of(descriptor_);
    if (!identity || identity->inode == 0) return {};
    return std::to_string(identity->inode) + ' ' + std::to_string(host::birth_time(descriptor_));
}

std::optional<unsigned> Journal::owner() const noexcept {
    struct stat status{};
    return ::fstat(descriptor_, &status) == 0 ? std::optional<unsigned>(status.st_uid) : std::nullopt;
}

Done Journal::read() const {
    std::string all;
    char some[1 << 16];
    for (::ssize_t got = 0;
         all.size() < longest && (got = ::pread(descriptor_, some, sizeof some, static_cast<off_t>(all.size()))) > 0;)
        all.append(some, static_cast<std::size_t>(got));
#endif
    Done done;
    std::unordered_set<std::string_view> taken;   // each line counts once, however often somebody has put it there
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = all.find('\n', at);
        if (end == std::string::npos) break;
        const std::string_view line(all.data() + at, end - at);
        at = end + 1;
        if (!taken.insert(line).second) continue;
        const std::optional<std::string> text = text_in(std::string(line));
        if (!text) break;   // it and what comes behind it does not count
        done.strange = done.strange || !understand(*text, done);
    }
    const std::string now = number();
    done.copied = !now.empty() && done.number != now;   // one without a number may have come with an archive
    return done;
}

bool Journal::may_count(const host::Folder& base, const std::string& transaction) {
    const fs::path path = base / (transaction + journal_ending);
#if defined(_WIN32)
    std::error_code ignored;
    return fs::is_regular_file(fs::symlink_status(path, ignored));
#else
    struct stat status{};
    return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_uid == ::geteuid() || base.is_of(status.st_uid));
#endif
}

std::unique_ptr<Journal> Journal::make(const host::Folder& base, const std::string& transaction) {
    std::unique_ptr<Journal> journal = make_file(base, transaction);
    if (!journal) return journal;
    const std::lock_guard lock(own().mutex);
    journal->own_ = *own().transactions.insert(transaction).first;
    return journal;
}

Journal::~Journal() {
    close();
    if (own_.empty()) return;
    const std::lock_guard lock(own().mutex);
    own().transactions.erase(own_);
}

bool is_own(const std::string& transaction) {
    const std::lock_guard lock(own().mutex);
    return own().transactions.contains(transaction);
}

void Journal::write(const Json& json, bool sync) {
    std::string line = line_of(json);
    if (bytes_ == 0 && !own_.empty()) {
        if (const std::string own = number(); !own.empty()) line.insert(0, line_of(Json::object({{"number", own}})));
    }
    if ((bytes_ += line.size()) > longest)
        throw std::system_error(std::make_error_code(std::errc::value_too_large), "the journal of so many files");
    for (std::size_t at = 0; at < line.size();) {
#if defined(_WIN32)
        const int put = _write(descriptor_, line.data() + at, static_cast<unsigned>(line.size() - at));
#else
        const ::ssize_t put = ::write(descriptor_, line.data() + at, line.size() - at);
        if (put < 0 && errno == EINTR) continue;
#endif
        if (put <= 0) throw std::system_error(put == 0 ? EIO : errno, std::generic_category(), "the journal");
        at += static_cast<std::size_t>(put);
    }
    if (!sync) return;
#if defined(_WIN32)
    const int status = _commit(descriptor_);
#else
    const int status = ::fsync(descriptor_);
#endif
    if (status != 0 && errno != EINVAL && errno != ENOTSUP)
        throw std::system_error(errno, std::generic_category(), "the journal");
}

void Journal::made(const fs::path& folder) { write(Json::object({{"made", text_of(folder)}}), false); }

void Journal::place(const fs::path& folder, const std::string& which, bool synced) {
    Json line = {{"place", text_of(folder)}};
    if (!which.empty()) line["which"] = which;
    write(line, synced);
}

void Journal::tree(std::uint64_t inode, const std::string& name, bool synced) {
    write(Json::object({{"tree", inode}, {"name", name}}), synced);
}
void Journal::forward() { write(Json::object({{"forward", true}}), true); }
void Journal::undo() { write(Json::object({{"undo", true}}), true); }

void Journal::commit(const std::vector<Move>& moves, bool synced) {
    Json list = Json::array();
    const bool overwrite = !moves.empty() && moves.front().overwrite;
    for (const Move& move : moves) {
        list.push_back({{"folder", text_of(move.folder)},
                        {"part", move.part},
                        {"name", move.name},
                        {"old", move.old},
                        {"inode", move.inode},
                        {"bytes", move.bytes}});
        if (move.folder_of_files) list.back()["folder_of_files"] = true;
        if (move.overwrite != overwrite) list.back()["overwrite"] = move.overwrite;
        if (move.was) list.back()["was"] = {move.was->inode, move.was->modified};
        if (move.old_modified != 0) list.back()["old_modified"] = move.old_modified;
        if (move.modified != 0) list.back()["modified"] = move.modified;
        if (move.old_inode != 0) list.back()["old_inode"] = move.old_inode;
    }
    if (!moves_from(list, overwrite))   // else whoever comes next could not finish it
        throw std::system_error(std::make_error_code(std::errc::invalid_argument), "a name that the journal cannot have");
    write(Json::object({{"commit", std::move(list)}, {"overwrite", overwrite}}), synced);
}

fs::path name_of(const Move& move) { return path_of(move.name); }

bool is_in_place(const fs::path& to, const Move& move) {
    const auto there = known_identity(to);
    if (!there || there->inode != move.inode) return false;
    // A number that has become free is soon given to another file, which may be as long.
    const bool same_time = move.modified == 0 || host::may_be_one_time(there->modified, move.modified);
    return move.folder_of_files || (there->bytes == move.bytes && same_time);
}

std::optional<Was> was_there(const fs::path& to, bool folder_of_files) {
    std::error_code unknown;
    const fs::file_status status = fs::symlink_status(to, unknown);
    if (!fs::status_known(status)) return std::nullopt;
    if (!fs::exists(status)) return Was{};
    const auto there = fs::is_symlink(status) ? std::nullopt : host::identity_of(to);
    if (!there || there->inode == 0) return std::nullopt;
    return Was{there->inode, folder_of_files ? host::birth_time(to) : there->modified};   // who puts files in changes a folder's time
}

bool is_later(const host::Folder& folder, const Move& move) {
    const fs::path to = folder / path_of(move.name);
    if (!move.was || is_in_place(to, move)) return false;
    const auto has_number = [&](const std::string& name, std::uint64_t number) {
        const auto there = name.empty() ? std::nullopt : host::identity_of(folder / name);
        return there && number != 0 && there->inode == number;
    };
    if (!has_number(move.part, move.inode) && !has_number(move.old, move.old_inode)) return false;
    const std::optional<Was> now = was_there(to, move.folder_of_files);
    if (!now || now->inode == 0) return false;
    if (!move.folder_of_files) return now->inode != move.was->inode || now->modified != move.was->modified;
    const bool another = now->modified != 0 && move.was->modified != 0 && now->modified != move.was->modified;
    return now->inode != move.was->inode || another || (fs::is_directory(known_status(to)) && !is_store(to));
}

void go_forward(const FolderOf& folder_of, const Done& done, Gone gone) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> placed;   // by device: one folder may be mounted twice
    AlikePlaces placed_names;   // not every file system has one number for them
    for (const Move& move : *done.moves) {
        const host::Folder folder = folder_of(move.folder);
        const fs::path from = folder / move.part, to = folder / path_of(move.name);
        // To some file systems two names are one (A and a, accents in two forms): the second would take the first one's place.
        const auto there = host::identity_of(to);
        if (there && ((there->inode != move.inode && placed.contains({there->device, there->inode})) || placed_names.find(to)))
            throw std::system_error(std::make_error_code(std::errc::file_exists), move.name);
        const auto beside = there ? there : host::identity_of(from);   // whose device is the place's
        if (move.inode != 0 && beside) placed.emplace(beside->device, move.inode);
        placed_names.add(to, to);
        if (gone == Gone::is_lost && !is_known_to_be_there(from) && !is_in_place(to, move))
            throw std::system_error(std::make_error_code(std::errc::no_such_file_or_directory), move.part);
        if (gone == Gone::was_moved && move.overwrite && is_later(folder, move)) continue;
        if (move.folder_of_files) {
            folder_forward(folder, move, move.overwrite);
            continue;
        }
        if (!is_known_to_be_there(from)) continue;   // it is in its place
        if (move.overwrite) {
            // By a process that has ended; somebody may have put there meanwhile what no file of ours replaces.
            std::error_code unknown;
            if (const fs::file_status now = fs::symlink_status(to, unknown);
                fs::exists(now) && !fs::is_regular_file(now) && !fs::is_symlink(now))
                throw std::system_error(std::make_error_code(std::errc::file_exists), move.name);
            move_to(from, to);
            continue;
        }
        const std::error_code error = host::rename_to_free(from, to);
        std::error_code ignored;
        if (error == std::errc::file_exists && fs::equivalent(from, to, ignored)) {   // had its second name, not lost its first
            fs::remove(from, ignored);
        } else if (error) {
            throw std::system_error(error, move.name);
        }
    }
}

void go_back(const FolderOf& folder_of, const Done& done) {
    if (!done.moves) return;
    std::optional<std::system_error> stays;   // what cannot go back keeps nothing else from it
    for (const Move& move : *done.moves) {
        try {
            move_back(folder_of(move.folder), move);
        } catch (const std::system_error& error) {
            if (!stays && error.code() != std::errc::no_such_file_or_directory) stays = error;
        }
    }
    if (stays) throw *stays;
}

void remove_made(const host::Folder& base, const std::vector<fs::path>& made) noexcept {
    for (auto folder = made.rbegin(); folder != made.rend(); ++folder) {
        try {
            const host::Folder parent = base.below(folder->parent_path());
            host::remove_empty_folder(parent / folder->filename());
        } catch (const std::exception&) {   // it is gone, or somebody else's
        }
    }
}

namespace {

/// Takes a stretch of `set` from the beginning, of `count` characters or (0) of one to ten.
bool take_of(std::string_view& text, std::string_view set, std::size_t count = 0) {
    const std::size_t there = std::min(text.find_first_not_of(set), text.size());
    if (there == 0 || there > 10 || (count != 0 && there != count)) return false;
    text.remove_prefix(there);
    return true;
}

bool take_text(std::string_view& text, std::string_view start) {
    if (!text.starts_with(start)) return false;
    text.remove_prefix(start.size());
    return true;
}

/// What stands behind the transaction in a name of ours. A part has any end: that of its output's name.
bool is_ending(std::string_view text) {
    constexpr std::string_view digits = "0123456789";
    if (text == journal_ending || text == base_ending) return true;
    if (text == "-a" || text == "-\xc3\xa9" || text == "-e\xcc\x81") return true;   // by which a series looks at a folder's names
    if (!take_text(text, "-")) return false;
    if (!take_text(text, "old-")) return take_of(text, digits) && take_text(text, "-");
    if (!take_of(text, digits)) return false;
    while (take_text(text, "-more")) {
    }
    take_text(text, "-going");
    return text.empty();
}

}  // namespace

std::optional<std::string> transaction_of(const std::string& name) {
    constexpr std::string_view digits = "0123456789";
    std::string_view text = name;
    if (!take_text(text, transaction_prefix) || !take_of(text, digits) || !take_text(text, "-") || !take_of(text, digits) ||
        !take_text(text, "-") || !take_of(text, "0123456789abcdef", 8) || !is_ending(text))
        return std::nullopt;
    return name.substr(0, name.size() - text.size());
}

bool is_transaction_name(const std::string& name) { return transaction_of(name).has_value(); }

}  // namespace parallax::io
