// What the program knows of the terminal, and how a person stops it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace parallax::cli {

/// What was typed after the program's name, as UTF-8 on every system: Windows hands main() its own code page, in which the
/// names of files need not exist.
std::vector<std::string> arguments_of(int argc, char** argv);
/// To be called first. Where the caller closed standard input, output or error, something else takes its number, so that no file
/// of a job does; and writing to a pipe that nobody reads becomes an error of that write instead of the end of a job.
void claim_standard_streams();
/// The exit status where nobody reads the output any more (`parallax devices | head -1`): no error, and what a shell tells of a
/// program that SIGPIPE ended.
inline constexpr int reader_gone = 141;
/// The file that standard output goes to, where it is one and the system tells which.
std::optional<std::filesystem::path> file_of_stdout();
/// Sends on what was printed. What the system says where it is lost, at once (a full disk) or when a file is closed (network drives).
std::error_code error_of_output();
/// To standard error, where it is taken at once: a pipe that nobody empties gets nothing, and nobody waits.
void tell_at_once(std::string_view text) noexcept;
bool stdin_is_terminal();
bool stderr_is_terminal();
bool stdout_is_terminal();
/// After the first Ctrl-C or SIGTERM interrupted() is true; another one, half a second later or more, ends the program at once.
/// Those that come sooner are the same press: who ends a process and its whole group signals it twice.
void watch_interrupts();
bool interrupted();

}  // namespace parallax::cli
