// What the runtime and this program say to each other: lines, and bytes after them.
#pragma once

#include <cstddef>
#include <string>

namespace driver {

/// From now on what a driver prints to standard output goes to standard error: answers have a way of their own.
void keep_answers_apart();
/// False where the runtime is gone.
bool put(const void* data, std::size_t size);
/// A line. Ends the process where the runtime is gone.
void say(std::string line);
/// False where there is nothing more to come.
bool get(char* data, std::size_t size);
/// Empty where there is nothing more to come.
std::string get_line();

}  // namespace driver
