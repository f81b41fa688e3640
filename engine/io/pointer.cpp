#include "io/pointer.hpp"

#include "io/file.hpp"
#include "io/journal.hpp"
#include "parallax/host/error.hpp"
#include "support/birth_time.hpp"
#include "support/file_lock.hpp"
#include "support/file_identity.hpp"
#include "support/writers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest = 1 << 16;   // paths that systems know are shorter
// Behind the path, in a line of its own: to versions before, which take all for the path, it is one that is not there.
constexpr std::string_view which_begins = "folder ";
constexpr std::string_view note_begins = "part ";

struct Pointer {
    std::string text;
    bool is_mine_alone = false;   ///< nobody else may have written it
    bool is_mine = false, is_as_mine = false;   ///< made by this user; or a path, and what he makes there looks the same (Folder::makes_for())
    bool counts = false;   ///< his, or of somebody who could do there what he liked in any case (Folder::is_of())
    bool lives = false, may_live = false;
};

/// One look: what is read is what the owner is asked of. Nothing: there is none.
std::optional<Pointer> read_pointer(const host::Folder& folder, const std::string& transaction) {
    const fs::path path = folder / (transaction + base_ending);
    Pointer pointer{std::string(longest, '\0')};
#if defined(_WIN32)
    std::ifstream file(path, std::ios::binary);
    file.read(pointer.text.data(), static_cast<std::streamsize>(pointer.text.size()));
    pointer.text.resize(static_cast<std::size_t>(file.gcount()));
    pointer.is_mine_alone = pointer.is_mine = pointer.is_as_mine = pointer.counts = true;
#else
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return std::nullopt;
    struct stat status{};
    const bool is_file = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const ::ssize_t got = is_file ? ::pread(file, pointer.text.data(), pointer.text.size(), 0) : 0;
    // It is locked before anything is in it, and let go of at once: a lock for reading, which keeps nobody else from asking.
    pointer.may_live = got > 0 && ::flock(file, LOCK_SH | LOCK_NB) != 0;
    pointer.lives = pointer.may_live && errno == EWOULDBLOCK;
    const host::Writers writers = host::writers_of(file);
    ::close(file);
    pointer.text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    pointer.is_mine = is_file && status.st_uid == ::geteuid();
    pointer.is_mine_alone = pointer.is_mine && !writers;
    const bool is_others = is_file && !pointer.is_mine, is_path = pointer.text.starts_with('/'),
               is_owners = is_others && folder.owner() == status.st_uid;
    // Tried by a file: where the folder's owner settles it, of paths alone.
    const bool made_for = is_others && (is_path || !is_owners) && folder.makes_for(status.st_uid);
    pointer.is_as_mine = pointer.is_mine || (is_path && made_for);
    pointer.counts = pointer.is_mine || is_owners || made_for;
    // What comes behind the last whole line its process was about to add.
    pointer.text.resize(pointer.text.rfind('\n') + 1);
#endif
    return pointer;
}

#if defined(_WIN32)

struct Open {};

void put_text(const Open&, const std::string&, bool) {}

PointerLock put_file(const fs::path& path, const std::string& text, bool) {
    File file = File::create(path);
    file.write(text.data(), text.size());
    file.close();
    return {};
}

#else

struct Open {
    explicit Open(int number) : descriptor(number) {}
    ~Open() { ::close(descriptor); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    int descriptor;
};

void fail() { throw std::system_error(errno, std::generic_category(), "the pointer to the journal"); }

void put_text(const Open& open, const std::string& text, bool synced) {
    for (std::size_t at = 0; at < text.size();) {
        const ::ssize_t put = ::write(open.descriptor, text.data() + at, text.size() - at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) fail();
        at += static_cast<std::size_t>(put);
    }
    if (synced && ::fsync(open.descriptor) != 0 && errno != EINVAL && errno != ENOTSUP) fail();
}

PointerLock put_file(const fs::path& path, const std::string& text, bool synced) {
    // Others of the folder read it and ask for its lock; where others may write the journal, this is what its user alone has said.
    constexpr mode_t reading = 0044;
    const auto rights = static_cast<mode_t>(host::rights_of_lock(path.parent_path()));
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600 | (rights & reading));
    if (file < 0) fail();
    const auto open = std::make_shared<const Open>(file);
    // A file system without locks: nobody else can lock it either, and nobody touches what cannot be locked.
    static_cast<void>(::flock(file, LOCK_EX | LOCK_NB));
    try {
        put_text(*open, text, synced);
    } catch (const std::exception&) {   // a disk that is full: its place is forgotten, and nobody else would remove it
        ::unlink(path.c_str());
        throw;
    }
    return open;
}

#endif

/// Of which_folder(): what a folder keeps when its machine starts again, which numbers its devices anew.
struct Which {
    std::string machine;
    std::uint64_t device = 0, inode = 0;
    std::int64_t birth = 0;
};

std::optional<Which> which_from(const std::string& text) {
    std::istringstream words(text);
    Which which;
    if (!(words >> which.machine >> which.device >> which.inode >> which.birth)) return std::nullopt;
    return which;
}

}  // namespace

std::string which_machine() {
#if defined(__linux__)
    const auto read = [] {
        std::string id;
        std::ifstream file("/proc/sys/kernel/random/boot_id");
        std::getline(file, id);
        return id;
    };
    static const auto& at_first = *new std::string(read());
    return at_first.empty() ? read() : at_first;   // it may have had no file left to open
#else
    return {};
#endif
}

std::string which_folder(const host::Folder& folder) {
    const auto identity = host::identity_of(folder / ".");
    const std::string machine = which_machine();
    if (!identity || identity->inode == 0 || machine.empty()) return {};
    return fmt::format("{} {} {} {}", machine, identity->device, identity->inode, host::birth_time(folder / "."));
}

PointerLock write_pointer(const host::Folder& folder, const std::string& transaction, const fs::path& place,
                          const host::Folder& base, bool synced) {
    std::u8string path;
    if (place.is_absolute()) path = fs::canonical(base / ".").generic_u8string();
    std::string text = (place.is_absolute() ? std::string(path.begin(), path.end())
                                            : std::to_string(std::distance(place.begin(), place.end()))) +
                       '\n';
    if (const std::string which = which_folder(base); !which.empty()) text += fmt::format("{}{}\n", which_begins, which);
    return put_file(folder / (transaction + base_ending), text, synced);
}

bool means(const Pointed& pointed, const host::Folder& folder) {
    const std::string now = which_folder(folder);
    if (!now.empty() && now == pointed.which) return true;
    std::error_code unknown;
    if (fs::canonical(folder / ".", unknown) == pointed.path && !unknown) return true;
    const std::optional<Which> meant = which_from(pointed.which), is = which_from(now);
    return meant && is && meant->machine != is->machine && meant->inode == is->inode && meant->birth == is->birth &&
           meant->birth != 0;
}

bool has_pointer(const host::Folder& folder, const std::string& transaction) {
    std::error_code ignored;
    return fs::is_regular_file(fs::symlink_status(folder / (transaction + base_ending), ignored));
}

std::string said_in_pointer(const std::string& part, const std::string& name, bool overwrite) {
    const auto in_digits = [](const std::string& bytes) {   // names are of any, line ends too
        std::string digits;
        for (const char c : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
        return digits;
    };
    return fmt::format("{}{} {} {}", note_begins, in_digits(part), overwrite ? "over" : "new", in_digits(name));
}

void add_to_pointer(const PointerLock& lock, const std::string& part, const std::string& name, bool overwrite, bool synced) {
    if (lock) put_text(*static_cast<const Open*>(lock.get()), said_in_pointer(part, name, overwrite) + '\n', synced);
}

std::optional<std::set<std::string>> noted_in_own_pointer(const host::Folder& folder, const std::string& transaction) {
    const std::optional<Pointer> pointer = read_pointer(folder, transaction);
    if (!pointer || !pointer->is_mine_alone) return std::nullopt;
    std::set<std::string> notes;
    std::istringstream lines(pointer->text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(note_begins)) notes.insert(line);
    return notes;
}

bool is_begun(const host::Folder& folder, const std::string& transaction) {
    const std::optional<Pointer> pointer = read_pointer(folder, transaction);
    return pointer && pointer->counts && !pointer->may_live && pointer->text.empty();
}

std::optional<Pointed> pointed_to(const host::Folder& folder, const std::string& transaction) {
    const std::optional<Pointer> pointer = read_pointer(folder, transaction);
    if (!pointer || !pointer->counts || pointer->text.empty()) return std::nullopt;
    std::string text = pointer->text.substr(0, pointer->text.size() - 1);
    for (std::size_t last = 0; (last = text.rfind('\n')) != std::string::npos && text.compare(last + 1, note_begins.size(), note_begins) == 0;)
        text.resize(last);
    Pointed pointed;
    pointed.lives = pointer->lives;
    pointed.may_live = pointer->may_live;
    pointed.is_as_mine = pointer->is_as_mine;
    const std::size_t last = text.rfind('\n');
    if (last != std::string::npos && text.compare(last + 1, which_begins.size(), which_begins) == 0) {
        pointed.which = text.substr(last + 1 + which_begins.size());
        text.resize(last);
    }
    const fs::path path(std::u8string(text.begin(), text.end()));
    if (path.is_absolute()) {
        pointed.path = path;
        return pointed;
    }
    fs::path up = ".";
    const int levels = std::atoi(text.c_str());
    for (int i = 0; i < std::clamp(levels, 0, 256); ++i) up /= "..";
    pointed.path = up;
    return pointed;
}

}  // namespace parallax::io
