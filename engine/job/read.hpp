// Files of a job's input -> one array in host memory.
#pragma once

#include "job/prepare.hpp"
#include "job/report.hpp"

namespace parallax::engine {

/// What the elements of an input gave cause to tell.
struct InputWarning {
    std::string input, text;
    /// With the input's name.
    std::string in_words() const;
};
using InputWarnings = std::vector<InputWarning>;

/// Reads, combines, states the spacing, and does to NaN and infinity what the job says. What comes out has the shape and type of
/// prepared.desc, for which plans are made and memory is sized. `allocate` may give the memory of the array (pinned, for
/// instance) and may be empty. `hashed`: the files are hashed as they are read, and told here. Throws IoError, also for a file that is
/// another one by now than when it was looked at.
HostArray read_input(const InputSpec&, const PreparedInput&, NonFinite,
                     const std::function<HostArray(const ArrayDesc&)>& allocate, InputWarnings&,
                     std::vector<FileReport>* hashed = nullptr);

/// Whether open_slices() can read it, passing over what is not wanted.
bool has_slices(const InputSpec&, const PreparedInput&);
/// The same file, a few slices at a time. Throws IoError where it cannot be read so, and as read_input() for files that change.
io::SliceStream open_slices(const InputSpec&, const PreparedInput&);

/// Several arrays as the one that the input is. Throws IoError unless that has the shape and type of prepared.desc.
HostArray combine_input(const InputSpec&, const PreparedInput&, const std::vector<HostArray>&, InputWarnings&);

/// Throws IoError if a file of an input is no longer the one that was looked at. `through`: where it is opened.
void check_unchanged(const std::filesystem::path& file, const std::filesystem::path& through, const io::FileInfo&);

/// propagate leaves an array as it is; reject throws IoError with the index of the first value that is not finite; mask
/// puts 0 in place of each. Complex numbers by their parts. `origin` names the array in errors.
void apply_non_finite(HostArray&, NonFinite, const std::string& origin);

}  // namespace parallax::engine
