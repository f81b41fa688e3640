// The program parallax-driver, which loads a driver in a process of its own (host/driver).
#pragma once

#include "support/child.hpp"

#include <string>
#include <vector>

namespace parallax::host {

/// Where it is: PARALLAX_DRIVER ("off": nowhere), else beside this program or library or in the folders where an installation has
/// it. Empty: nowhere, and drivers are loaded without a trial, since a host application can be neither forked nor started again.
const std::string& helper_program();

/// A program of ours by its name, beside this program or library or in the folders where an installation has it; empty: nowhere.
std::string program_beside(const std::string& name);

/// What a child gets that shall load this OpenCL driver and no other.
Child::Options helper_for(const std::string& library, std::vector<std::string> arguments);

}  // namespace parallax::host
