// Files as a manifest names them. Whoever can write in its folder can write a record, and whether the item is done again would tell
// him of the file that it names: of a confined job no other files are looked at than those that it may read, or writes.
#pragma once

#include "job/confinement.hpp"
#include "series/manifest.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace parallax::engine::series {

class RecordedFiles {
public:
    /// once: what was read to be told is not read again, for whoever looks at all records at a time and then no more.
    enum class Looks { always, once };
    /// Throws what Confinement throws.
    explicit RecordedFiles(const Locations&, Looks looks = Looks::always);

    /// Whether the job may read all of them.
    bool may_read(const std::vector<FileState>&) const;
    /// Of a confined job as it is written, else series::place_of().
    static std::filesystem::path place_of(const std::filesystem::path&, bool confined);
    std::filesystem::path place_of(const std::filesystem::path&) const;
    /// Where the job may read it, and it is there.
    bool is_there(const FileState& input) const;
    /// Whether files that the job may read are what they were.
    bool unchanged(const FileState& input) const { return renewed(input).has_value(); }
    /// renewed_at() of it.
    std::optional<FileState> renewed(const FileState& input) const;
    bool unchanged(const std::vector<FileState>& inputs) const;
    /// Of an output that is known to be the job's own.
    bool output_unchanged(const FileState&) const;

private:
    std::optional<Confinement> confinement_;   ///< of a confined job
    std::filesystem::path out_;
    std::unique_ptr<KnownHashes> hashes_;   ///< null: none is kept
};

}  // namespace parallax::engine::series
