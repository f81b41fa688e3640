// The keys that a job may carry, in one place for parser, schema and command line. They stay to the end: a host application may
// run jobs after main().
#pragma once

#include <string>
#include <vector>

namespace parallax::engine {

inline const auto& job_keys =
    *new std::vector<std::string>{"$schema",      "parallax", "comment",        "device", "for_each", "non_finite",
                                  "memory_limit", "retry",    "step_timeout_s", "inputs", "steps",    "outputs"};
/// Those that a case of a study has, too: how its inputs are taken, and what it may use.
inline const auto& keys_of_cases = *new std::vector<std::string>{"non_finite", "memory_limit", "step_timeout_s"};
/// Of a step itself; every other key of a step is a parameter of its algorithm.
inline const auto& step_keys = *new std::vector<std::string>{"id", "run", "in", "out", "variant", "policy"};
inline const auto& non_finite_words = *new std::vector<std::string>{"propagate", "reject", "mask"};
inline const auto& combine_words = *new std::vector<std::string>{"mean", "median"};
inline const auto& fold_words = *new std::vector<std::string>{"mean", "median", "min", "max", "stack"};
inline const auto& for_each_kinds = *new std::vector<std::string>{"files", "pages", "volumes"};
/// What may stand behind the variable in a placeholder; nothing: the file itself.
inline const auto& placeholder_parts = *new std::vector<std::string>{"stem", "name", "index", "page", "volume"};
/// What an input may choose from its file, beside pages.
inline const auto& choice_keys = *new std::vector<std::string>{"dataset", "channel", "series", "level"};
inline const auto& spacing_units = *new std::vector<std::string>{"nm", "um", "mm", "cm", "m"};

}  // namespace parallax::engine
