// What the program knows of the terminal, and how a person stops it.
#pragma once

namespace parallax::cli {

bool stderr_is_terminal();
bool stdout_is_terminal();
/// After the first Ctrl-C or SIGTERM interrupted() is true; a second one ends the program at once.
void watch_interrupts();
bool interrupted();

}  // namespace parallax::cli
