// How many files the program may have open.
#pragma once

namespace parallax::cli {

/// Systems give 1,024 unless a program asks for more, and a job holds two for each folder that it writes to. Those who mean to
/// limit it set the hard limit (`ulimit -n` sets both), which stays.
void allow_open_files();

}   // namespace parallax::cli
