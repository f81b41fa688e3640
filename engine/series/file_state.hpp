// What a file was when a series was done with it, and whether it still is.
#pragma once

#include "job/report.hpp"
#include "parallax/host/json.hpp"
#include "support/file_identity.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace parallax::engine::series {

/// A file as it was when an item was done with it.
struct FileState {
    std::string path;
    std::uint64_t bytes = 0;
    std::int64_t modified = 0;       ///< as FileIdentity has it; 0: says nothing, the hash does
    std::string hash;                ///< xxh3-128
    std::uint64_t inode = 0;         ///< 0: not known
    std::string of{};                ///< the input that it was read for, where an input runs
    std::int64_t changed = 0;        ///< of an input, as FileIdentity has it; 0: not known
    bool operator==(const FileState&) const = default;
};

/// Where a path leads, links followed: the same for each way to write it, whatever folder the series is run from.
std::filesystem::path place_of(const std::filesystem::path&);

/// As the file was when it was written, whatever stands under its name now.
FileState state_of(const FileReport&);
/// As it was when it was read. Where its time did not say for certain that it stayed so, nor does the state.
FileState state_of_input(const FileReport&);
/// As records have it. Throws what json throws for another form, and ConfigError for a path that is none.
Json to_json(const std::vector<FileState>&);
FileState file_from(const Json&);
/// Of nothing there is no path, and the system would end one at a zero byte.
std::string path_in_record(const Json&);

/// Hashes of files that were read already, for as long as nobody changes them: pages by the thousand are of one file.
class KnownHashes {
public:
    /// `identity`: of what stands there.
    const std::string& of(const std::filesystem::path&, const host::FileIdentity& identity);

private:
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t, std::string>, std::string> hashes_;
};

/// Whether a file still is what it was: by size, times and inode, and where one of these differs by its hash.
bool unchanged(const FileState&, KnownHashes* = nullptr);
/// The same of what stands at a path, whatever path is recorded.
bool unchanged_at(const std::filesystem::path&, const FileState&, KnownHashes* = nullptr);
/// An input that is what it was, with its times and its inode as they are now: where they are others it need not be read for that
/// the next time. Nothing: it has changed.
std::optional<FileState> renewed_at(const std::filesystem::path&, const FileState&, KnownHashes* = nullptr);

}  // namespace parallax::engine::series
