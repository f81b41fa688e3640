// Outputs of a job that would replace what it reads or each other, whatever their paths are written like.
#pragma once

#include "io/one_name.hpp"
#include "job/files_of_run.hpp"
#include "job/job.hpp"
#include "support/mounts.hpp"

#include <filesystem>
#include <string>

namespace parallax::engine {

/// Where the files of a job lie, links followed. An output is held against all others without a look at each: a job may have thousands.
class OutputPlaces {
public:
    explicit OutputPlaces(const Prepared& prepared) : read_(prepared) {}
    /// Throws ConfigError where the output's place is a file that the job reads or another output, lies in one, or holds one.
    void take(const OutputSpec&, const std::filesystem::path&);

private:
    std::filesystem::path place_of(const std::filesystem::path&, const std::string& pointer) const;

    FilesOfRun read_;
    io::AlikePlaces taken_;
    host::Mounts mounts_;
};

}  // namespace parallax::engine
