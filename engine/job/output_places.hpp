// Outputs of a job that would replace an input or each other, whatever their paths are written like.
#pragma once

#include "io/known_files.hpp"
#include "job/job.hpp"
#include "job/prepare.hpp"
#include "support/mounts.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine {

/// Where the files of a job lie, links followed. An output is held against all others without a look at each: a job may have thousands.
class OutputPlaces {
public:
    explicit OutputPlaces(const std::vector<PreparedInput>&);
    /// Throws ConfigError where the output's place is an input or another output, lies in one, or holds one.
    void take(const OutputSpec&, const std::filesystem::path&);

private:
    std::filesystem::path place_of(const std::filesystem::path&, const std::string& pointer) const;
    void check_inputs(const OutputSpec&, const std::filesystem::path&, const std::filesystem::path& place);

    const std::vector<PreparedInput>& inputs_;
    std::optional<io::KnownFiles> known_;   ///< of all inputs, once something is replaced
    io::AlikePlaces taken_;
    host::Mounts mounts_;
};

}  // namespace parallax::engine
