// Steps and the arrays between them: what is made of what. It knows no file and no device.
//
//   input "hologram" --> step "recon" --amplitude--> step "even" --image--> output "equalized"
#pragma once

#include "core/algorithm.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine {

/// Where an array comes from: a port of a step, or an input.
struct Source {
    std::optional<std::size_t> step;      ///< not set: an input
    std::string port;                     ///< or the input's name
    auto operator<=>(const Source&) const = default;
};

struct Step {
    std::string id;
    std::string pointer;                  ///< where it was asked for, for errors: "/steps/0"
    const Algorithm* algorithm = nullptr; ///< of a registry that must outlive it
    Parameters parameters;
    std::string variant;                  ///< empty: the one tuned fastest, else the first that supports the problem
    Json policy = Json::object();
    std::map<std::string, Source> inputs; ///< port -> what it is
    std::vector<std::string> outputs;     ///< ports that are wanted, in their order
    std::map<std::string, std::string> names;   ///< port -> the name of its array, where that is not the port's

    const std::string& name_of(const std::string& port) const;
};

struct PipelineInput {
    std::string name;
    std::string pointer;                  ///< "/inputs/hologram"
    std::int64_t slab = 0;                ///< slices to be in memory at a time; 0: all, or as many as fit
};

struct PipelineOutput {
    std::string name;
    std::string pointer;                  ///< "/outputs/amplitude"
    Source source;
    bool is_array = true;                 ///< or a record
};

/// What it may take.
struct PipelineLimits {
    std::optional<std::uint64_t> memory_limit;   ///< bytes on a device
    double step_timeout_s = 3600;                ///< for each command that is waited for; 0: no limit
};

struct Pipeline {
    std::vector<PipelineInput> inputs;
    std::vector<Step> steps;
    std::vector<PipelineOutput> outputs;
    PipelineLimits limits;

    /// The name under which an array is known.
    const std::string& name_of(const Source&) const;
    /// Throws std::out_of_range.
    std::size_t input_index(const std::string& name) const;
};

/// The last step that needs each array; the number of steps for what is put out.
std::map<Source, std::size_t> last_uses(const Pipeline&);

/// Runs `work`; a ConfigError of an algorithm, which speaks of its own ports and parameters, comes out speaking of what was asked
/// for. `step` is one of the pipeline's own.
void in_terms_of(const Pipeline&, const Step& step, const std::function<void()>& work);

}  // namespace parallax::engine
