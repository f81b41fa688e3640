// The hash of a file, taken while a reader reads it, so that it need not be read a second time.
#pragma once

#include "io/hasher.hpp"
#include "support/file_identity.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace parallax::io {

/// Sees what this thread reads of one file, by whatever File and path, as long as it lives. Once a thread. A file is known by its
/// path, or by its identity, since a confined job opens each file anew, by a descriptor that has another number each time.
///
///   const ReadWitness witness(path);
///   array = read(path);
///   hash = hash_file(path);   // reads what was not read in order
class ReadWitness {
public:
    /// `identity`: what the file was when it was looked at; nothing: it is looked at now.
    explicit ReadWitness(std::filesystem::path, std::optional<host::FileIdentity> identity = {});
    ~ReadWitness();
    ReadWitness(const ReadWitness&) = delete;
    ReadWitness& operator=(const ReadWitness&) = delete;

    /// That of this thread, if it is of this file; else null.
    static ReadWitness* of(const std::filesystem::path&) noexcept;
    /// Reads what is left, by this path to the file. As hash_file() has it; nothing where another file has come to that path.
    /// Where nothing is left the path is not looked at: whoever wants the hash looks once more at the file when all is read.
    /// Throws IoError.
    std::optional<std::string> finish(const std::filesystem::path&, const std::stop_token&);
    /// Bytes from the first on that were read in order.
    std::uint64_t seen() const noexcept { return end_; }

    // What a File tells.
    static void opened(const std::filesystem::path&, std::FILE*);
    static void closed(std::FILE*) noexcept;
    /// That of this thread, if its file has been opened as this; else null.
    static ReadWitness* of(std::FILE*) noexcept;
    /// `count` bytes of the file, from byte `at` on.
    void read(std::uint64_t at, const std::byte* bytes, std::size_t count) noexcept;

private:
    std::filesystem::path path_;
    std::optional<host::FileIdentity> identity_;   ///< none: known by its path alone
    std::vector<std::FILE*> handles_;   ///< that are open
    Hasher hash_;
    std::uint64_t end_ = 0;
};

}   // namespace parallax::io
