// Inputs of a case: made by a rule, by an algorithm of the engine, or read from files. The same specification gives the same bits
// in every process.
//
//   { "make": "random", "type": "u8", "axes": "yx", "shape": [480, 640], "seed": 1, "range": [0, 255] }
//   { "run": "phantom", "kind": "menger", "size": 243 }
//   { "run": "noise", "variance": 0.05, "in": { "image": "clean" } }
//   "data:frame.tif", or any other input of a job
//   { "frames": ["data:1.tif", {"file": "data:stack.tif", "page": 3}], "combine": "median" }
#pragma once

#include "core/session.hpp"
#include "job/paths.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parallax::engine::compare {

using HostArrays = std::map<std::string, HostArray>;

/// Throws ConfigError at `pointer` for a specification that cannot be made; `earlier` are the inputs before it.
void check_input_spec(const Json& spec, const std::string& pointer, const std::vector<Algorithm>&,
                      const std::vector<std::string>& earlier);
Json input_spec_schema();
/// Whether it is read from files.
bool is_read(const Json& spec);
/// Those of an input that is. Throws ConfigError and IoError.
std::vector<std::filesystem::path> files_of(const std::string& name, const Json& spec, const Locations&);
/// Empty, or why a file of this input cannot be had.
std::string missing_file(const std::string& name, const Json& spec, const Locations&);
/// Makes or reads one input. Algorithms run on the session's device. `settings`: of the point that it is of; of them "non_finite" is
/// for what is read.
HostArray make_input(const std::string& name, const Json& spec, Session&, const HostArrays& earlier, const Locations&,
                     const Json& settings = Json::object());

}  // namespace parallax::engine::compare
