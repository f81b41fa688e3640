// A job with something wrong in it, given to the program: it says what, and leaves nothing behind.
#pragma once

#include "draw.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace parallax::tests::whole_jobs {

/// What was done to it, for whoever reads of a failure.
struct Mutation {
    std::string what;
    bool certain = false;   ///< no job that has this is right
};

/// Changes the job or one of its files in `folder`.
Mutation spoil(sizes::Random&, WholeJob&, const std::filesystem::path& folder);

struct ProgramRun {
    int status = -1;
    std::string out, err;
    double seconds = 0;
};
/// Runs the program on the job in its folder. 124: it had not ended after `patience` seconds.
ProgramRun run_program(const std::filesystem::path& program, const WholeJob&, const std::filesystem::path& folder, int patience);

/// What is wrong with how the program took it; empty: nothing.
std::vector<std::string> judge_wrong(const ProgramRun&, const Mutation&, const WholeJob&, const std::filesystem::path& folder,
                                     const std::vector<std::string>& listing_before);
/// Every file below, sorted; folders that are empty do not count.
std::vector<std::string> listing(const std::filesystem::path& folder);

}  // namespace parallax::tests::whole_jobs
