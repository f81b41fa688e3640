// All files that a run reads, of which nothing that it writes may take the place: the job, the file of --device, every file of every
// input and those that these name. They are known by what they are, however paths to them are written.
#pragma once

#include "io/known_files.hpp"
#include "job/paths.hpp"
#include "job/prepare.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace parallax::engine {

class FilesOfRun {
public:
    static constexpr const char* an_input = "an input";

    /// `gather` adds them, once something is there that could be one: of the hundred thousand of a series each is looked at. `stores`:
    /// whether one may be a Zarr store, so that what lies in it belongs to it, too.
    FilesOfRun(std::function<void(FilesOfRun&)> gather, bool stores) : gather_(std::move(gather)), stores_(stores) {}
    /// Those of one job. It outlives this.
    explicit FilesOfRun(const Prepared&);

    void add(const std::vector<OwnFile>&);
    void add_input(const std::filesystem::path&);
    /// With the files that those of an input name.
    void add(const PreparedInput&);

    /// What a file or folder that is written here would take the place of.
    struct Found {
        enum class How { is, holds, lies_in };
        How how;
        std::filesystem::path file;
        std::string what;   ///< "the job", "an input"

        /// "which is the job", "in which the input o.zarr/a.npy lies", "which lies in the input a.zarr".
        std::string in_words() const;
    };
    std::optional<Found> at(const std::filesystem::path&);

private:
    bool lies_in_store(const std::filesystem::path&);
    std::string what_is(const std::filesystem::path&) const;

    std::function<void(FilesOfRun&)> gather_;
    bool stores_;
    std::optional<io::KnownFiles> files_, input_stores_;   ///< once there is one
    std::vector<OwnFile> own_;                             ///< of the files, those that are no input
    std::unordered_map<std::filesystem::path::string_type, bool> in_store_;   ///< by folders, of what is asked for
};

}  // namespace parallax::engine
