// Everything that can be found wrong with a job before a device is touched: files, sizes, shapes, places of outputs.
#pragma once

#include "job/confinement.hpp"
#include "job/input_folders.hpp"
#include "job/job.hpp"
#include "job/paths.hpp"
#include "pipeline/resolve.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace parallax::engine {

struct PreparedInput {
    std::vector<std::filesystem::path> files;
    std::vector<io::FileInfo> infos;
    ArrayDesc desc;                          ///< as it will be on the device
    std::vector<std::string> warnings;       ///< what its files say of themselves and the array does not
    std::shared_ptr<const Confinement> confinement{};   ///< of a confined job: each of its files is opened by it
    std::shared_ptr<io::Kept> kept{};                   ///< io::ReadOptions::kept

    /// A file for as long as it is read, and a path by which it is opened: of a job that is not confined its own.
    host::OpenedFile open(const std::filesystem::path&, const std::string& pointer = {}) const;
    /// io::ReadOptions::open_part.
    std::function<host::OpenedFile(const std::filesystem::path&)> part_opener() const;
};

/// A job with what its files say, in the order of the job's own lists.
struct Prepared {
    Job job;
    std::filesystem::path out;               ///< the folder that outputs are below
    bool overwrite = false, synced = true, confined = false;
    std::vector<OwnFile> own;                ///< as Locations has it
    std::vector<PreparedInput> inputs;
    Resolved resolved;                       ///< what is to be computed of them
    std::vector<std::filesystem::path> outputs;

    /// What a person should know before it runs: "step \"recon\": ...", "input \"hologram\": ...".
    std::vector<std::string> warnings() const;
};

/// By the name of the input.
using PreparedInputs = std::map<std::string, PreparedInput>;

/// Looks at all files and infers all shapes. Inputs in `known` are not looked at again. Throws ConfigError (missing input,
/// existing output, folder that cannot be written, shapes that an algorithm cannot take, formats that cannot hold a result),
/// IoError (broken input), UnsupportedError (for_each: see series/series.hpp).
Prepared prepare(Job, const Locations&, bool overwrite, const PreparedInputs& known = {});
/// What prepare() leaves to who will write (an item of a series may be done already): throws ConfigError where something stands
/// that no output may replace.
void check_places(const Prepared&);
/// `patterns`: of a job with several inputs.
PreparedInput prepare_input(const InputSpec&, const Locations&,
                            std::shared_ptr<PatternBudget> patterns = std::make_shared<PatternBudget>());
/// The files that it would read, none of which is opened. A confinement for a confined job; it holds the folders, too. Throws
/// ConfigError.
std::vector<std::filesystem::path> find_files(const InputSpec&, const Locations&, const Confinement*, InputFolders&);

/// What read() will deliver for a file: pages chosen, colours made luminance where the job says grey. Throws ConfigError for
/// pages that are not there.
ArrayDesc delivered(const std::filesystem::path&, const io::FileInfo&, const InputSpec&);
/// The spacing that the job states, instead of the file's.
ArrayDesc with_stated_spacing(ArrayDesc, const InputSpec&);
/// What is to be told of a stated spacing for such an array. Throws ConfigError where it has a number for an axis that is not there.
std::vector<std::string> told_of_spacing(const ArrayDesc&, const InputSpec&);
/// The same for what says where voxels lie: its steps become as long as the stated spacing, its first voxel stays.
Metadata with_stated_spacing(Metadata, const ArrayDesc& stated, const InputSpec&);
/// What lies beside the elements of every array: where its voxels are, notes, names of channels, as inputs have them and steps carry
/// them. The same as at the arrays that a job makes.
std::map<Source, Metadata> metadata_of(const Prepared&);
}  // namespace parallax::engine
