// Files as the operating system has them: wide paths on Windows, 64-bit positions, access rights.
#include "io/file.hpp"
#include "io/hints.hpp"
#include "io/known_status.hpp"
#include "io/part_file.hpp"
#include "io/read_witness.hpp"
#include "support/folder.hpp"
#include "support/mounts.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "parallax/host/error.hpp"

#ifdef _WIN32
#include <io.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace fs = std::filesystem;

namespace parallax::io {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

#ifdef _WIN32
std::FILE* open_native(const fs::path& path, const char* mode) {
    return _wfopen(path.c_str(), std::wstring(mode, mode + std::strlen(mode)).c_str());
}
int seek_native(std::FILE* f, std::int64_t offset, int origin) { return _fseeki64(f, offset, origin); }
std::int64_t tell_native(std::FILE* f) { return _ftelli64(f); }
gzFile open_gz(const fs::path& path, const char* mode) { return gzopen_w(path.c_str(), mode); }
std::FILE* create_native(const fs::path& path) { return open_native(path, "w+bx"); }
gzFile create_gz(const fs::path& path) { return open_gz(path, "wbx4"); }
#else
/// Programs that are started meanwhile do not get it.
std::FILE* open_native(const fs::path& path, const char* mode) { return std::fopen(path.c_str(), (std::string(mode) + 'e').c_str()); }
int seek_native(std::FILE* f, std::int64_t offset, int origin) { return fseeko(f, static_cast<off_t>(offset), origin); }
std::int64_t tell_native(std::FILE* f) { return static_cast<std::int64_t>(ftello(f)); }
gzFile open_gz(const fs::path& path, const char* mode) { return gzopen(path.c_str(), (std::string(mode) + 'e').c_str()); }

template <class Open>
auto created(const fs::path& path, Open&& open) {
    const int file = create_descriptor(path);
    auto* const handle = file < 0 ? nullptr : open(file);
    if (file >= 0 && !handle) ::close(file);
    return handle;
}
std::FILE* create_native(const fs::path& path) {
    return created(path, [](int file) { return ::fdopen(file, "w+b"); });
}
gzFile create_gz(const fs::path& path) {
    return created(path, [](int file) { return gzdopen(file, "wb4"); });
}
#endif

/// Reads for whoever wants the hash of what is read, in pieces that stay in the processor's cache from the copy to the hash.
std::size_t read_before(ReadWitness& witness, std::FILE* file, std::int64_t told, std::byte* to, std::size_t bytes) noexcept {
    constexpr std::size_t most = std::size_t{1} << 18, most_between = 1024;
    if (told < 0) return std::fread(to, 1, bytes, file);
    const auto at = static_cast<std::uint64_t>(told), seen = witness.seen();
    if (at > seen && at - seen <= most_between) {   // readers leave a little of a header out
        std::byte between[most_between];
        if (seek_native(file, static_cast<std::int64_t>(seen), SEEK_SET) == 0)
            witness.read(seen, between, std::fread(between, 1, static_cast<std::size_t>(at - seen), file));
        if (seek_native(file, told, SEEK_SET) != 0) return 0;
    }
    std::size_t done = 0;
    while (done < bytes) {
        const std::size_t piece = std::min(bytes - done, most), got = std::fread(to + done, 1, piece, file);
        witness.read(at + done, to + done, got);
        done += got;
        if (got < piece) break;
    }
    return done;
}

/// zlib's words for its last error, before which it puts the path that it was given, or a descriptor's number.
std::string words_of_zlib(gzFile file) {
    int code = Z_OK;
    const std::string_view words = gzerror(file, &code);
    const std::size_t colon = words.rfind(": ");
    return std::string(words.substr(colon == words.npos ? 0 : colon + 2));
}

[[noreturn]] void fail_to_open(const fs::path& path, const char* what, int code) {
    throw IoError(show(path), fmt::format("{}: {}", what, reason(code)), write_hint_for(code));
}

}  // namespace

std::string show(const fs::path& path) {
    const std::u8string text = host::without_descriptor(path).u8string();
    return {text.begin(), text.end()};
}

std::string without_ways(std::string words) {
    constexpr std::string_view begin = "/proc/", middle = "/fd/", digits = "0123456789", own = "self";
    // Behind what stands at a place: a process, a descriptor.
    const auto behind = [&](std::size_t at) { return std::min(words.find_first_not_of(digits, at), words.size()); };
    for (std::size_t at = 0; (at = words.find(begin, at)) != words.npos;) {
        const std::size_t process = at + begin.size();
        std::size_t end = words.compare(process, own.size(), own) == 0 ? process + own.size() : behind(process);
        if (end == process || words.compare(end, middle.size(), middle) != 0 || behind(end + middle.size()) == end + middle.size()) {
            at = process;
            continue;
        }
        end = behind(end + middle.size());
        const std::size_t more = words.compare(end, 2, ": ") == 0 ? 2 : words.compare(end, 1, "/") == 0 ? 1 : 0;
        words.replace(at, end + more - at, more > 0 ? "" : "the file");
    }
    return words;
}

host::FileIdentity identity_of_source(const fs::path& path) {
    std::error_code error;
    const host::FileState state = host::state_of(path, error);
    return identity_of_source(path, state, error);
}

host::FileIdentity identity_of_source(const fs::path& path, const host::FileState& state, const std::error_code& error) {
    const fs::file_status status(state.type);
    if (!fs::exists(status)) {
        if (error && !says_absent(error)) {
            throw IoError(show(path), fmt::format("cannot be reached: {}", error.message()));
        }
        const fs::path folder = path.parent_path();
        std::error_code ignored;
        const bool no_folder = !folder.empty() && !fs::is_directory(folder, ignored);
        throw IoError(show(path), "there is no such file",
                      no_folder ? fmt::format("the folder {} does not exist either", show(folder))
                                : fmt::format("relative paths start at {}", show(fs::current_path(ignored))));
    }
    if (fs::is_directory(status)) throw IoError(show(path), "is a folder, not a file", "name a file inside it");
    if (!fs::is_regular_file(status)) {
        throw IoError(show(path), "is a device or a pipe, not a regular file", "copy its contents into a file first");
    }
    if (!state.identity) throw IoError(show(path), "its size and time cannot be read", "see whether it is still there");
    if (state.identity->bytes == 0) {
        throw IoError(show(path), "the file is empty", "whatever wrote it was interrupted: write or copy it again");
    }
    return *state.identity;
}

std::string why_none_is_made_in(const fs::path& folder) {
#ifdef _WIN32
    return _waccess(folder.c_str(), 2) == 0 ? "" : "is read-only";
#else
    const auto may = [&](int what) { return ::faccessat(AT_FDCWD, folder.c_str(), what, AT_EACCESS) == 0; };
    if (!may(X_OK) && errno == EACCES) return "may not be entered by this user";
    if (may(W_OK | X_OK)) {
#ifdef __linux__   // what is written there would keep its hidden name
        if ((host::marks_of(folder, true) & STATX_ATTR_APPEND) != 0) return "is marked by chattr as one that loses no names";
#endif
        return {};
    }
    if (errno == EROFS) return "is on a read-only file system";
    if (errno == EACCES) return "may not be written by this user";
    return fmt::format("may not be written ({})", std::strerror(errno));
#endif
}

bool can_create_in(const fs::path& folder) { return why_none_is_made_in(folder).empty(); }

std::string why_it_is_held(const fs::path& path) {
#ifdef _WIN32
    return _waccess(path.c_str(), 2) == 0 ? "" : "write-protected";
#else
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) != 0 && errno == EACCES)
        return "write-protected";
    const fs::path above = path.has_parent_path() ? path.parent_path() : fs::path(".");
    struct stat file{}, folder{};
    if (::lstat(path.c_str(), &file) != 0 || ::stat(above.c_str(), &folder) != 0) return {};
    const uid_t user = ::geteuid();
    if ((folder.st_mode & S_ISVTX) != 0 && user != 0 && user != file.st_uid && user != folder.st_uid) return "another user's";
#ifdef __linux__
    const auto marked = host::marks_of(path, false), marked_above = host::marks_of(above, true);
    if ((marked & STATX_ATTR_MOUNT_ROOT) != 0) return "a mount point";
    if (((marked | marked_above) & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0) return "marked by chattr as one that stays";
    if (S_ISDIR(file.st_mode)) {   // what is mounted there is removed with it
        std::error_code unknown;
        const fs::path inside = host::Mounts().inside(fs::canonical(path, unknown));
        if (!inside.empty()) return fmt::format("a folder in which something is mounted ({})", show(inside));
    }
#endif
    return {};
#endif
}

File File::open(const fs::path& path) { return open(path, identity_of_source(path).bytes, show(path)); }

File File::open(const fs::path& path, std::uint64_t size, std::string name) {
    std::FILE* handle = open_native(path, "rb");
    if (!handle) throw IoError(name, fmt::format("cannot be opened: {}", reason(errno)), open_hint_for(errno));
    File file(handle, std::move(name), size);
    file.path_ = path;
    file.at_ = 0;
    ReadWitness::opened(path, handle);
    return file;
}

std::optional<host::FileIdentity> File::identity() const noexcept {
#ifdef _WIN32
    return host::identity_of(path_);
#else
    return host::identity_of(::fileno(handle_));
#endif
}

File File::create(const fs::path& path) {
    std::FILE* handle = create_native(path);
    if (!handle) fail_to_open(path, "cannot be created", errno);
    File file(handle, show(path), 0);
    file.witness_ = Witness::of(path);
    return file;
}

File File::update(const fs::path& path) {
    std::FILE* handle = open_native(path, "r+b");
    if (!handle) fail_to_open(path, "cannot be opened for writing", errno);
    if (const auto witness = Witness::of(path)) witness->moved();
    return File(handle, show(path), 0);
}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)),
      handle_(std::exchange(other.handle_, nullptr)),
      name_(std::move(other.name_)),
      size_(other.size_),
      at_(other.at_),
      write_error_(other.write_error_),
      writing_(other.writing_),
      witness_(std::move(other.witness_)) {}

File::~File() {
    if (!handle_) return;
    ReadWitness::closed(handle_);
    std::fclose(handle_);
}

void File::seek(std::uint64_t position) {
    if (!try_seek(static_cast<std::int64_t>(position), SEEK_SET)) {
        throw IoError(name_, fmt::format("cannot go to byte {}: {}", position, reason(errno)));
    }
}

void File::skip(std::uint64_t bytes) {
    if (!try_seek(static_cast<std::int64_t>(bytes), SEEK_CUR))
        throw IoError(name_, fmt::format("cannot go {} bytes on: {}", bytes, reason(errno)));
}

bool File::try_seek(std::int64_t offset, int origin) noexcept {
    if (witness_) witness_->moved();
    const bool is_there = (origin == SEEK_SET && offset == at_) || (origin == SEEK_CUR && offset == 0);
    if (at_ != unknown && is_there) return true;
    const bool moved = seek_native(handle_, offset, origin) == 0;
    if (at_ != unknown) at_ = moved && origin == SEEK_SET ? offset : tell_native(handle_);
    return moved;
}

std::int64_t File::tell() const noexcept { return at_ != unknown ? at_ : tell_native(handle_); }

std::size_t File::peek(void* to, std::size_t bytes) noexcept {
#ifdef _WIN32
    const std::int64_t here = tell();
    const std::size_t got = std::fread(to, 1, bytes, handle_);
    return here >= 0 && seek_native(handle_, here, SEEK_SET) == 0 ? got : 0;
#else
    // Not by the stream, which would read what it holds already once more to go back.
    const auto here = static_cast<off_t>(tell());
    std::size_t done = 0;
    while (done < bytes) {
        const auto got = ::pread(::fileno(handle_), static_cast<char*>(to) + done, bytes - done, here + static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
#endif
}

std::size_t File::read_some(void* to, std::size_t bytes) noexcept {
    if (bytes == 0) return 0;
    // C wants a positioning call between writing and reading.
    if (std::exchange(writing_, false)) seek_native(handle_, 0, SEEK_CUR);
    ReadWitness* const witness = ReadWitness::of(handle_);
    const std::size_t got =
        witness ? read_before(*witness, handle_, tell(), static_cast<std::byte*>(to), bytes) : std::fread(to, 1, bytes, handle_);
    if (at_ != unknown) at_ += static_cast<std::int64_t>(got);
    return got;
}

void File::read(void* to, std::size_t bytes, const char* what) {
    const std::size_t got = read_some(to, bytes);
    if (got == bytes) return;
    if (std::ferror(handle_)) throw IoError(name_, fmt::format("cannot be read: {}", reason(errno)));
    throw IoError(name_, fmt::format("ends after {} of {} bytes of {}", got, bytes, what),
                  "the file is cut off: write or copy it again");
}

bool File::try_write(const void* from, std::size_t bytes) noexcept {
    if (bytes == 0) return true;   // of nothing the address may be null, which fwrite() must not be given
    if (!std::exchange(writing_, true)) seek_native(handle_, 0, SEEK_CUR);
    // In pieces that stay in the processor's cache from the hash to the copy.
    const std::size_t most = witness_ ? std::size_t{1} << 18 : bytes;
    for (const auto* at = static_cast<const char*>(from); bytes > 0;) {
        const std::size_t piece = std::min(bytes, most);
        if (witness_) witness_->wrote(at, piece);
        if (std::fwrite(at, 1, piece, handle_) != piece) {
            if (write_error_ == 0) write_error_ = errno ? errno : EIO;
            return false;
        }
        at += piece, bytes -= piece;
    }
    return true;
}

void File::write(const void* from, std::size_t bytes) {
    if (!try_write(from, bytes)) {
        throw IoError(name_, fmt::format("cannot be written: {}", reason(write_error_)), write_hint_for(write_error_));
    }
}

void File::flush() {
    if (std::fflush(handle_) == 0) return;
    if (write_error_ == 0) write_error_ = errno ? errno : EIO;
    throw IoError(name_, fmt::format("cannot be written: {}", reason(write_error_)), write_hint_for(write_error_));
}

void File::close() {
    ReadWitness::closed(handle_);
    const int closed = std::fclose(std::exchange(handle_, nullptr));
    if (closed != 0 && write_error_ == 0) write_error_ = errno ? errno : EIO;
    if (write_error_ != 0)
        throw IoError(name_, fmt::format("cannot be written: {}", reason(write_error_)), write_hint_for(write_error_));
    if (witness_) witness_->closed();
}

GzReader::GzReader(const fs::path& path, unsigned at_once) : name_(show(path)) {
    identity_of_source(path);
    gzFile file = open_gz(path, "rb");
    if (!file) throw IoError(name_, fmt::format("cannot be opened: {}", reason(errno)), open_hint_for(errno));
    gzbuffer(file, at_once);
    handle_ = file;
}

GzReader::~GzReader() { gzclose(static_cast<gzFile>(handle_)); }

void GzReader::fail(const char* what) const {
    int code = Z_OK;
    gzerror(static_cast<gzFile>(handle_), &code);
    if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) {
        throw IoError(name_, fmt::format("ends inside {}", what), "the file is cut off: write or copy it again");
    }
    throw IoError(name_, fmt::format("its gzip stream is damaged in {}: {}", what, words_of_zlib(static_cast<gzFile>(handle_))),
                  "write or copy it again");
}

std::size_t GzReader::read_some(void* to, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
        const auto part = static_cast<unsigned>(std::min<std::size_t>(bytes - done, std::size_t{1} << 30));
        const int got = gzread(static_cast<gzFile>(handle_), static_cast<char*>(to) + done, part);
        if (got < 0) fail("the compressed data");
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

void GzReader::read(void* to, std::size_t bytes, const char* what) {
    if (read_some(to, bytes) != bytes) fail(what);
}

void GzReader::skip(std::uint64_t bytes, const char* what) {
    // By reading: gzseek only notes the distance, so that a file that ends before would be noticed late or not at all.
    std::vector<char> sink(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 1u << 18)));
    while (bytes > 0) {
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, sink.size()));
        read(sink.data(), part, what);
        bytes -= part;
    }
}

void GzReader::jump(std::uint64_t bytes) {
    while (bytes > 0) {   // zlib's positions have 32 bits on some systems
        const auto part = static_cast<z_off_t>(std::min<std::uint64_t>(bytes, 1u << 30));
        if (gzseek(static_cast<gzFile>(handle_), part, SEEK_CUR) < 0) fail("the elements before those that are wanted");
        bytes -= static_cast<std::uint64_t>(part);
    }
}

bool GzReader::verify_to_end(std::uint64_t most) {
    std::vector<char> sink(1u << 18);
    for (std::uint64_t passed = 0; const std::size_t got = read_some(sink.data(), sink.size());) {
        if ((passed += got) > most) return false;
    }
    int code = Z_OK;
    gzerror(static_cast<gzFile>(handle_), &code);
    if (code != Z_OK && code != Z_STREAM_END) fail("its end");
    return true;
}

GzWriter::GzWriter(const fs::path& path) : name_(show(path)) {
    // Level 4: a third of the time of level 6 for volumes some per cent larger.
    gzFile file = create_gz(path);
    if (!file) fail_to_open(path, "cannot be created", errno);
    gzbuffer(file, 1u << 18);
    handle_ = file;
}

GzWriter::~GzWriter() {
    if (handle_) gzclose(static_cast<gzFile>(handle_));
}

void GzWriter::write(const void* from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const auto part = static_cast<unsigned>(std::min<std::size_t>(bytes - done, std::size_t{1} << 30));
        const int put = gzwrite(static_cast<gzFile>(handle_), static_cast<const char*>(from) + done, part);
        if (put <= 0) {
            int code = Z_OK;
            gzerror(static_cast<gzFile>(handle_), &code);
            throw IoError(name_, fmt::format("cannot be written: {}", words_of_zlib(static_cast<gzFile>(handle_))),
                          write_hint_for(code == Z_ERRNO ? errno : 0));
        }
        done += static_cast<std::size_t>(put);
    }
}

void GzWriter::close() {
    if (gzclose(static_cast<gzFile>(std::exchange(handle_, nullptr))) != Z_OK) {
        const int code = errno ? errno : EIO;
        throw IoError(name_, fmt::format("cannot be written: {}", reason(code)), write_hint_for(code));
    }
}

}  // namespace parallax::io
