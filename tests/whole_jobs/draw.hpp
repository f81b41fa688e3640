// Whole jobs at random: files that are written here, steps that take what files and earlier steps give, outputs in any format.
#pragma once

#include "core/algorithm.hpp"
#include "sizes/random.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parallax::tests::whole_jobs {

struct Bounds {
    std::int64_t elements = 30000;   ///< of a file
    host::Backend backend = host::Backend::opencl;
};

struct WholeJob {
    Json job;
    std::map<std::string, HostArray> files;   ///< what was written, by the file's name
    bool confined = false;
    bool is_series() const { return job.contains("for_each"); }
};

/// Writes the input files into `folder`, an empty one. Throws std::runtime_error where so many tries gave no job.
WholeJob draw_job(sizes::Random&, const std::vector<engine::Algorithm>&, const std::filesystem::path& folder, const Bounds&);

}  // namespace parallax::tests::whole_jobs
