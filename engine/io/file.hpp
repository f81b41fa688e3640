// Files as the readers and writers see them: every short read, failed write and failed close is an IoError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "io/witness.hpp"
#include "support/file_state.hpp"

namespace parallax::io {

/// A path as UTF-8, for messages.
std::string show(const std::filesystem::path&);

/// Words of a library or a program without the ways through descriptors by which it was given files, which say nothing to a user:
/// "/proc/self/fd/3: bad" is "bad", "/proc/self/fd/3/a" is "a", and one that stands elsewhere is "the file".
std::string without_ways(std::string words);

/// Of an existing, non-empty, regular file; everything else is an IoError with what to try.
host::FileIdentity identity_of_source(const std::filesystem::path&);
/// The same of what a look has found there.
host::FileIdentity identity_of_source(const std::filesystem::path&, const host::FileState&, const std::error_code&);

/// Whether this process may create files in an existing folder.
bool can_create_in(const std::filesystem::path& folder);
/// Why not, by what the system says: "may not be entered by this user", "is on a read-only file system"; empty where it may.
std::string why_none_is_made_in(const std::filesystem::path& folder);

/// Whether the system keeps a file in its place: the root of another file system, marked as one that never changes (chattr), or
/// another user's in a folder where each has his own; a folder in which something is mounted. What it is: "a mount point". Empty: it
/// can be replaced.
std::string why_it_is_held(const std::filesystem::path&);

/// A file in binary mode, with 64-bit positions.
class File {
public:
    static File open(const std::filesystem::path&);
    /// The same of one that has just been found to be a source of so many bytes; messages say `name`.
    static File open(const std::filesystem::path&, std::uint64_t bytes, std::string name);
    /// For reading and writing; the file must not exist.
    static File create(const std::filesystem::path&);
    /// An existing one for reading and writing; several may be open at once, each for a part of its own.
    static File update(const std::filesystem::path&);

    File(File&&) noexcept;
    File& operator=(File&&) = delete;
    ~File();

    std::uint64_t size() const noexcept { return size_; }  ///< when it was found
    /// Of what is open, whatever its path has come to mean (on Windows of the path's file).
    std::optional<host::FileIdentity> identity() const noexcept;
    const std::string& name() const noexcept { return name_; }
    /// For libraries that read or move it themselves: from here on the system is asked where it is.
    std::FILE* handle() noexcept {
        at_ = unknown;
        return handle_;
    }
    /// Whether a read or a write has failed.
    bool has_failed() const noexcept { return std::ferror(handle_) != 0; }

    /// The next bytes, as many as there are of them; it stays before them.
    std::size_t peek(void* to, std::size_t bytes) noexcept;
    void seek(std::uint64_t position);
    /// Passes over as many bytes from where it is.
    void skip(std::uint64_t bytes);
    /// As many bytes as there are, at most `bytes`.
    std::size_t read_some(void* to, std::size_t bytes) noexcept;
    /// Exactly `bytes`; `what` names them when the file ends before ("the pixels").
    void read(void* to, std::size_t bytes, const char* what);
    void write(const void* from, std::size_t bytes);
    /// Until here nothing is certain to have left this process.
    void flush();
    /// Closing can fail too (a full disk, a lost network drive), so it is a step of its own.
    void close();

    // For libraries that want callbacks: no exceptions. Once a write has failed, close() throws.
    bool try_seek(std::int64_t offset, int origin) noexcept;
    std::int64_t tell() const noexcept;
    bool try_write(const void* from, std::size_t bytes) noexcept;

private:
    static constexpr std::int64_t unknown = -1;

    File(std::FILE* handle, std::string name, std::uint64_t size) : handle_(handle), name_(std::move(name)), size_(size) {}
    std::filesystem::path path_{};   ///< of one that was opened for reading

    std::FILE* handle_ = nullptr;
    std::string name_;
    std::uint64_t size_ = 0;
    std::int64_t at_ = unknown;   ///< of one that is only read: where it is, which saves small files most of their system calls
    int write_error_ = 0;
    bool writing_ = false;  ///< the last call wrote
    std::shared_ptr<Witness::Seen> witness_;   ///< null: nobody looks
};

/// Reads a gzip file; one that is not compressed is read as it is.
class GzReader {
public:
    /// Unpacks so many bytes of the file at once, and as many again of what they hold: few for whoever wants its head alone.
    explicit GzReader(const std::filesystem::path&, unsigned at_once = 1u << 18);
    ~GzReader();
    GzReader(const GzReader&) = delete;
    GzReader& operator=(const GzReader&) = delete;

    std::size_t read_some(void* to, std::size_t bytes);
    void read(void* to, std::size_t bytes, const char* what);
    void skip(std::uint64_t bytes, const char* what);
    /// The same by a jump, of a file that is not compressed: one that ends before is noticed by the next read().
    void jump(std::uint64_t bytes);
    /// Reads on to the end, where gzip's checksum stands. False: more than `most` bytes come before it, and it was not reached.
    bool verify_to_end(std::uint64_t most);

private:
    [[noreturn]] void fail(const char* what) const;
    void* handle_ = nullptr;
    std::string name_;
};

/// Writes a gzip file that must not exist yet.
class GzWriter {
public:
    explicit GzWriter(const std::filesystem::path&);
    ~GzWriter();
    GzWriter(const GzWriter&) = delete;
    GzWriter& operator=(const GzWriter&) = delete;

    void write(const void* from, std::size_t bytes);
    void close();

private:
    void* handle_ = nullptr;
    std::string name_;
};

}  // namespace parallax::io
