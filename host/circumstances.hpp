// What may end a driver's compiler without its fault: little memory, few files, no linker to be found.
#pragma once

#include <string>

namespace parallax::host {

/// A hash of this process's limits and of the variables that say where it and its drivers find and keep things.
std::string circumstances();

}  // namespace parallax::host
