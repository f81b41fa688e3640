// The only file of the program that asks the operating system about terminals and signals.
#include "terminal.hpp"

#include <csignal>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace parallax::cli {

namespace {

volatile std::sig_atomic_t stop_requested = 0;   // all that a handler may touch

extern "C" void on_signal(int signal) {
    stop_requested = 1;
    std::signal(signal, SIG_DFL);
}

}  // namespace

#if defined(_WIN32)
bool stderr_is_terminal() { return _isatty(2) != 0; }
bool stdout_is_terminal() { return _isatty(1) != 0; }
#else
bool stderr_is_terminal() { return isatty(2) != 0; }
bool stdout_is_terminal() { return isatty(1) != 0; }
#endif

void watch_interrupts() {
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
}

bool interrupted() { return stop_requested != 0; }

}  // namespace parallax::cli
