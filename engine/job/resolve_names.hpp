// Names -> data flow: which array each input of a step is, and which outputs of each step are wanted.
#pragma once

#include "job/job.hpp"

namespace parallax::engine {

/// Fills StepSpec::inputs, StepSpec::outputs and OutputSpec::source. Throws ConfigError for unknown,
/// ambiguous and unused names and for steps that wait for themselves.
void resolve_names(Job&);

}  // namespace parallax::engine
