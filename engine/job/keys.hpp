// The keys that a job may carry, in one place for parser, schema and command line.
#pragma once

#include <string>
#include <vector>

namespace parallax::engine {

inline const std::vector<std::string> job_keys{"$schema",      "parallax", "comment",        "device", "for_each", "non_finite",
                                               "memory_limit", "retry",    "step_timeout_s", "inputs", "steps",    "outputs"};
/// Of a step itself; every other key of a step is a parameter of its algorithm.
inline const std::vector<std::string> step_keys{"id", "run", "in", "out", "variant", "policy"};
inline const std::vector<std::string> non_finite_words{"propagate", "reject", "mask"};
inline const std::vector<std::string> combine_words{"mean", "median"};
inline const std::vector<std::string> fold_words{"mean", "median", "min", "max", "stack"};
inline const std::vector<std::string> for_each_kinds{"files", "pages", "volumes"};
/// What may stand behind the variable in a placeholder; nothing: the file itself.
inline const std::vector<std::string> placeholder_parts{"stem", "name", "index", "page", "volume"};
/// What an input may choose from its file, beside pages.
inline const std::vector<std::string> choice_keys{"dataset", "channel", "series", "level"};
inline const std::vector<std::string> spacing_units{"nm", "um", "mm", "cm", "m"};

}  // namespace parallax::engine
