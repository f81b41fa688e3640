// What the programs that draw have in common: a crash tells what was running, and errors end as statuses.
#pragma once

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace parallax::tests {

/// What is running, kept where a signal's handler reaches it.
inline std::array<char, 16384> now_running{};

inline void runs_now(const std::string& command) { std::snprintf(now_running.data(), now_running.size(), "%s", command.c_str()); }

extern "C" inline void say_what_crashed(int signal) {
    const auto say = [](const char* text) { static_cast<void>(!write(STDOUT_FILENO, text, std::strlen(text))); };
    say("\na signal ended the program; it happened in\n  ");
    say(now_running.data());
    say("\n");
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// main() of such a program: the status of body(), 2 and its usage where words are wrong, 1 for other errors.
template <class Body>
int run_sweep(const char* program, const char* usage, const Body& body) {
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, say_what_crashed);
    try {
        return body();
    } catch (const std::logic_error& error) {
        fmt::print(stderr, "{}\n{}", error.what(), usage);
        return 2;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", program, error.what());
        return dynamic_cast<const ConfigError*>(&error) != nullptr ? 2 : 1;
    }
}

}  // namespace parallax::tests
