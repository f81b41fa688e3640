// The header of a series' records, series.json: which job they belong to, and which inputs all items have.
#pragma once

#include "job/job.hpp"
#include "parallax/host/json.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace parallax::engine::series {

/// A file of an input that all items share.
struct SharedFile {
    std::string input;   ///< whose it is
    std::string path;
    std::string hash;    ///< of a file; of one that names others, and of a folder, of their hashes and names
    std::string names{}; ///< a hash of where these are beside it; empty: there are none
    bool operator==(const SharedFile&) const = default;
};

/// The job without what does not change its results: device, comment, memory limit, and which items there are.
Json identity_of(const Job&);
/// `job` as identity_of() has it.
Json header_of(const Json& job, const std::vector<SharedFile>& shared);
/// Whether a document has the form of one.
bool is_header(const Json& document);
/// Names that variants of the algorithms of `steps` had when a header was written become those that they have.
void rename_variants(Json& header, const std::vector<StepSpec>& steps);
/// Throws ConfigError naming the first difference that results hang on. `folder`: of the records.
void refuse_changes(const Json& before, const Json& now, const std::filesystem::path& folder);

}  // namespace parallax::engine::series
