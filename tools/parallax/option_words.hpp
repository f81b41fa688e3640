// Words of a command line that are options, where another option wants its value.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace parallax::cli {

/// A variable of a script that is not set makes `--report --confined` of "--report $REPORT --confined", and CLI11 takes whatever
/// follows for the value, as it does for `--report= --confined`: a stranger's job would not be confined. What begins with two
/// dashes and is no option, as `--report --confind`, is no value either, unless it stands behind an equals sign. Throws ConfigError.
void refuse_options_as_values(const CLI::App&, const std::vector<std::string>& arguments);

}  // namespace parallax::cli
