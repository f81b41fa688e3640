#include "child.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#if !defined(_WIN32)
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#endif

namespace parallax::host {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

#if defined(_WIN32)

// A counterpart would be CreateProcess with pipes and a job object; until someone builds it, comparisons say so.
struct Child::State {};
fs::path own_program() { return {}; }
Child::Child(const Options&) { throw Error("starting worker processes is not supported on this system: compare runs on Linux"); }
Child::~Child() = default;
bool Child::write_line(const std::string&) { return false; }
std::optional<std::string> Child::read_line(std::chrono::duration<double>, const std::function<bool()>&) { return std::nullopt; }
bool Child::running() { return false; }
void Child::end() {}
void Child::leave(std::chrono::duration<double>) {}
void follow_parent() {}
int keep_standard_output() { return 1; }
bool write_to(int, const std::string&) { return false; }

#else

struct Child::State {
    pid_t process = -1;
    int input = -1, output = -1;
    std::string read;             ///< what has come and is no whole line yet
};

namespace {

void close_if_open(int& descriptor) {
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
}

std::string describe_status(int status) {
    if (WIFEXITED(status)) return fmt::format("exit status {}", WEXITSTATUS(status));
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/// This process's environment with some variables set anew.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& changes) {
    std::map<std::string, std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != std::string::npos) all[text.substr(0, equals)] = text.substr(equals + 1);
    }
    for (const auto& [name, value] : changes) all[name] = value;
    std::vector<std::string> list;
    for (const auto& [name, value] : all) list.push_back(name + "=" + value);
    return list;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

fs::path own_program() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path() : program;
}

Child::Child(const Options& options) : state_(std::make_unique<State>()) {
    std::signal(SIGPIPE, SIG_IGN);   // writing to a child that has died is an answer, not the end
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0) throw Error(fmt::format("no pipe to a worker process: {}", std::strerror(errno)));
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        throw Error(fmt::format("no pipe from a worker process: {}", std::strerror(errno)));
    }
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, to[0], 0);
    posix_spawn_file_actions_adddup2(&files, from[1], 1);
    const std::string messages = options.messages.empty() ? "/dev/null" : options.messages.string();
    posix_spawn_file_actions_addopen(&files, 2, messages.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    std::vector<std::string> words = options.arguments, variables = environment_with(options.environment);
    const std::vector<char*> arguments = pointers_to(words), environment = pointers_to(variables);
    const int status = posix_spawn(&state_->process, words.front().c_str(), &files, nullptr, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&files);
    close(to[0]);
    close(from[1]);
    state_->input = to[1];
    state_->output = from[0];
    if (status == 0) return;
    state_->process = -1;
    close_if_open(state_->input);
    close_if_open(state_->output);
    throw Error(fmt::format("{} cannot be started: {}", words.front(), std::strerror(status)));
}

Child::~Child() { end(); }

bool Child::write_line(const std::string& line) { return state_->input >= 0 && write_to(state_->input, line); }

std::optional<std::string> Child::read_line(std::chrono::duration<double> limit, const std::function<bool()>& given_up) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    for (;;) {
        if (const std::size_t feed = state_->read.find('\n'); feed != std::string::npos) {
            std::string line = state_->read.substr(0, feed);
            state_->read.erase(0, feed + 1);
            return line;
        }
        if (state_->output < 0) return std::nullopt;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();   // 0 when the time is over, not before
        if (left <= 0 || (given_up && given_up())) return std::nullopt;
        pollfd wanted{state_->output, POLLIN, 0};
        const int ready = poll(&wanted, 1, static_cast<int>(std::min<long long>(left, 100)));
        if (ready < 0 && errno != EINTR) return std::nullopt;
        if (ready <= 0) continue;
        char buffer[65536];
        const ssize_t count = ::read(state_->output, buffer, sizeof buffer);
        if (count > 0) state_->read.append(buffer, static_cast<std::size_t>(count));
        else if (count == 0) close_if_open(state_->output);
    }
}

bool Child::running() {
    if (state_->process < 0) return false;
    int status = 0;
    if (waitpid(state_->process, &status, WNOHANG) != state_->process) return true;
    state_->process = -1;
    ending_ = describe_status(status);
    return false;
}

void Child::end() {
    close_if_open(state_->input);
    if (state_->process >= 0 && running()) {
        kill(state_->process, SIGKILL);
        int status = 0;
        while (waitpid(state_->process, &status, 0) < 0 && errno == EINTR) {}
        state_->process = -1;
        ending_ = describe_status(status);
    }
    close_if_open(state_->output);
}

void Child::leave(std::chrono::duration<double> limit) {
    close_if_open(state_->input);
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    while (running() && state_->output >= 0 && Clock::now() < until) read_line(std::chrono::milliseconds(100));   // its output closes when it leaves
    while (running() && Clock::now() < until) poll(nullptr, 0, 2);
    end();
}

void follow_parent() {
    std::signal(SIGINT, SIG_IGN);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

int keep_standard_output() {
    const int kept = fcntl(1, F_DUPFD_CLOEXEC, 3);
    dup2(2, 1);
    return kept;
}

bool write_to(int output, const std::string& line) {
    const std::string text = line + '\n';
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(output, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
}

#endif

}  // namespace parallax::host
