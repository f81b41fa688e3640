// What an output says of how it is shown: the window of its values, colours, bars, and what its format offers.
#pragma once

#include <string>
#include <vector>

#include "io/io.hpp"
#include "support/json_reader.hpp"

namespace parallax::engine {

/// The keys of an output that read_display() reads.
std::vector<std::string> display_keys();
/// Throws ConfigError for a key that files with such an ending have no use for, and for values that mean nothing.
void read_display(const JsonObject&, const std::string& extension, const std::string& file, io::WriteOptions&);

}   // namespace parallax::engine
