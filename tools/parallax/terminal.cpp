// The only file of the program that asks the operating system about terminals and signals.
#include "terminal.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
// after windows.h, on which they stand
#include <io.h>
#include <shellapi.h>

#include <memory>
#else
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <ctime>
#endif

namespace parallax::cli {

namespace {

// What a handler may touch: when the first signal came, in milliseconds, and 0 before.
std::atomic<long long> stop_requested_at = 0;
static_assert(std::atomic<long long>::is_always_lock_free);

#if defined(_WIN32)
long long milliseconds_now() { return static_cast<long long>(GetTickCount64()); }
#else
long long milliseconds_now() {   // std::chrono is not on the list of what a handler may call
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<long long>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}
#endif

// Programs that end others (timeout, batch systems) signal the process and then its group: one press, seen twice.
constexpr long long one_press_ms = 500;

extern "C" void on_signal(int signal) {
    const long long now = milliseconds_now();
    long long first = 0;
    const bool pressed_before = !stop_requested_at.compare_exchange_strong(first, now > 0 ? now : 1);
    const bool ends = pressed_before && now - first > one_press_ms;
    std::signal(signal, ends ? SIG_DFL : on_signal);
    if (ends) std::raise(signal);
}

}  // namespace

#if defined(_WIN32)
std::vector<std::string> arguments_of(int argc, char** argv) {
    int count = 0;
    const std::unique_ptr<wchar_t*, decltype(&LocalFree)> wide(CommandLineToArgvW(GetCommandLineW(), &count), &LocalFree);
    if (!wide) return {argv + 1, argv + argc};
    std::vector<std::string> arguments;
    for (int i = 1; i < count; ++i) {
        const wchar_t* const text = wide.get()[i];
        const int bytes = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);   // with the 0 at its end
        std::string& argument = arguments.emplace_back(static_cast<std::size_t>(bytes > 0 ? bytes : 1), '\0');
        WideCharToMultiByte(CP_UTF8, 0, text, -1, argument.data(), bytes, nullptr, nullptr);
        argument.pop_back();
    }
    return arguments;
}
void claim_standard_streams() {}
bool stdin_is_terminal() { return _isatty(0) != 0; }
bool stderr_is_terminal() { return _isatty(2) != 0; }
bool stdout_is_terminal() { return _isatty(1) != 0; }
#else
std::vector<std::string> arguments_of(int argc, char** argv) { return {argv + (argc > 0 ? 1 : 0), argv + argc}; }
void claim_standard_streams() {
    // The lowest free number is the one given out. What is printed to a closed output fails; messages may be lost.
    for (int stream = 0; stream <= 2; ++stream)
        if (fcntl(stream, F_GETFD) == -1) (void)!open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL);   // ignored by whoever has started us, how a child has ended would be told nobody
    std::signal(SIGXFSZ, SIG_IGN);   // a file beyond the user's limit is an error that is told
}
bool stdin_is_terminal() { return isatty(0) != 0; }
bool stderr_is_terminal() { return isatty(2) != 0; }
bool stdout_is_terminal() { return isatty(1) != 0; }
#endif

void tell_at_once(std::string_view text) noexcept {
#if defined(_WIN32)
    std::fwrite(text.data(), 1, text.size(), stderr);
#else
    pollfd error{2, POLLOUT, 0};
    if (::poll(&error, 1, 0) == 1 && (error.revents & POLLOUT) != 0) (void)!::write(2, text.data(), text.size());
#endif
}

std::error_code error_of_output() {
    errno = 0;
    const bool sent = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!sent) return {errno != 0 ? errno : EIO, std::generic_category()};
#if !defined(_WIN32)
    const int other = ::dup(1);   // any of its descriptors hears of it
    if (other >= 0 && ::close(other) != 0 && errno != EINTR) return {errno, std::generic_category()};
#endif
    return {};
}

void watch_interrupts() {
    const auto watch = [](int signal) {
        if (std::signal(signal, on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);   // nohup means it, and so does trap ''
    };
    watch(SIGINT);
    watch(SIGTERM);
#if !defined(_WIN32)
    watch(SIGHUP);
#endif
}

bool interrupted() { return stop_requested_at != 0; }

std::optional<std::filesystem::path> file_of_stdout() {
#if defined(__linux__)
    std::error_code error;
    const std::filesystem::path way = "/proc/self/fd/1", file = std::filesystem::read_symlink(way, error);
    if (!error && std::filesystem::is_regular_file(way, error)) return file;
#endif
    return std::nullopt;
}

}  // namespace parallax::cli
