// A whole job that should do, tried in every way that it can go: from files, from memory, in little memory, as a series.
#pragma once

#include "core/session.hpp"
#include "draw.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parallax::tests::whole_jobs {

struct Findings {
    std::vector<std::string> failures;
    std::map<std::string, long> counts;   ///< "steps judged", "refused", "in tiles": what came to pass
};

class Checker {
public:
    /// `engine`: of the device under test; `reference`: of the native device.
    Checker(engine::Engine& engine, engine::Engine& reference) : engine_(engine), reference_(reference) {}
    Findings check(const WholeJob&, const std::filesystem::path& folder);

private:
    engine::Engine& engine_;
    engine::Engine& reference_;
};

}  // namespace parallax::tests::whole_jobs
