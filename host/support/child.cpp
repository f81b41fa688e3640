#include "support/child.hpp"

#include "parallax/host/error.hpp"
#include "support/own_time.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <cstdlib>
#include <map>
#include <sstream>

#if !defined(_WIN32)
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
#if defined(__linux__)
#include <sys/mman.h>
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
int own_process() { return 0; }
fs::path program_path(const std::string& program) { return program; }
Child::Child(const Options&) { throw Error("starting worker processes is not supported on this system: compare runs on Linux"); }
Child::~Child() = default;
bool Child::write(std::string_view) { return false; }
std::optional<std::string> Child::read_line(std::chrono::duration<double>, const std::function<bool()>&) { return std::nullopt; }
std::optional<std::string> Child::read_bytes(std::size_t, std::chrono::duration<double>) { return std::nullopt; }
std::chrono::duration<double> Child::own_time() { return {}; }
bool Child::read_into(void*, std::size_t, std::chrono::duration<double>) { return false; }
bool Child::running() { return false; }
void Child::end() {}
void Child::leave(std::chrono::duration<double>) {}
std::string Child::last_message() const { return {}; }
void follow_parent() {}
int keep_standard_output() { return 1; }
bool write_to(int, const std::string&) { return false; }

#else

struct Child::State {
    pid_t process = -1;
    int input = -1, output = -1;
    int messages = -1;            ///< what it writes to standard error
    std::string read;             ///< what has come and is no whole line yet
    std::optional<OwnTime> time;

    ~State() {
        if (messages >= 0) close(messages);
    }
};

namespace {

void close_if_open(int& descriptor) {
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
}

/// Closes a pipe from which nothing more comes.
std::size_t read_some(int& pipe, char* to, std::size_t most) {
    const ssize_t count = ::read(pipe, to, most);
    if (count == 0 || (count < 0 && errno != EINTR)) close_if_open(pipe);
    return static_cast<std::size_t>(std::max<ssize_t>(count, 0));
}

/// A file without a name, for what a child says; -1 where the system has none.
int memory_file() {
#if defined(__linux__)
    return memfd_create("parallax-messages", MFD_CLOEXEC);
#else
    return -1;
#endif
}

std::uint64_t size_of(int file) {
    struct stat state {};
    return fstat(file, &state) == 0 ? static_cast<std::uint64_t>(state.st_size) : 0;
}

/// What is said without end would fill memory, or the disk. A hole where its beginning was takes nothing.
void forget_beginning(int messages) {
#if defined(__linux__)
    constexpr std::uint64_t kept = std::uint64_t{1} << 20;
    struct stat state {};
    if (messages < 0 || fstat(messages, &state) != 0) return;
    const auto held = static_cast<std::uint64_t>(state.st_blocks) * 512, size = static_cast<std::uint64_t>(state.st_size);
    if (held > Child::longest_line && size > kept)
        fallocate(messages, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size - kept));
#else
    static_cast<void>(messages);
#endif
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

/// A signal that a program brings upon itself. Any other is sent by a person, a terminal that is closed, or the system where
/// memory, time or the length of files has run out.
bool is_own_doing(int signal) {
    constexpr std::array own{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    return std::find(own.begin(), own.end(), signal) != own.end();
}

sigset_t no_signals() {
    sigset_t none;
    sigemptyset(&none);
    return none;
}

/// Signals that a child hears as from a shell, though the host application ignores them: without SIGCHLD, say, a compiler cannot
/// wait for the linker that it starts. What a terminal sends stays as it is: `nohup` and a shell's background are meant for
/// children, too.
sigset_t begun_anew() {
    sigset_t signals;
    sigfillset(&signals);
    for (const int of_terminal : {SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU}) sigdelset(&signals, of_terminal);
    return signals;
}

/// What the system says, and what to try where it gives no more files.
std::string reason_of(int code) {
    const bool too_many = code == EMFILE || code == ENFILE;
    return fmt::format("{}{}", std::strerror(code),
                       too_many ? ". this process, or the system, may open no more files: close some, or raise the limit (ulimit -n)" : "");
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

int own_process() { return static_cast<int>(getpid()); }

fs::path program_path(const std::string& program) {
    if (program.find('/') != std::string::npos) return program;
    const char* const folders = std::getenv("PATH");
    std::istringstream list(folders != nullptr ? folders : "");
    for (std::string folder; std::getline(list, folder, ':');) {
        const fs::path path = fs::path(folder.empty() ? "." : folder) / program;
        if (std::error_code error; fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0) return path;
    }
    throw ConfigError("", fmt::format("the program \"{}\"", program), "a program that PATH has, or the path of one");
}

Child::Child(const Options& options) : state_(std::make_unique<State>()) {
    state_->messages = options.messages.empty() ? memory_file()
                                                : ::open(options.messages.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (state_->messages < 0 && !options.messages.empty())
        throw Error(fmt::format("{}, where a worker's messages go, cannot be written: {}", options.messages.string(),
                                reason_of(errno)));
    std::vector<std::string> words = options.arguments, variables = environment_with(options.environment);
    const std::vector<char*> arguments = pointers_to(words), environment = pointers_to(variables);
    int to[2], from[2];   // a socket takes writes to a child that has died without a signal
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) != 0)
        throw Error(fmt::format("no pipe to {}: {}", words.front(), reason_of(errno)));
    if (pipe2(from, O_CLOEXEC) != 0) {
        const int code = errno;
        close(to[0]);
        close(to[1]);
        throw Error(fmt::format("no pipe from {}: {}", words.front(), reason_of(code)));
    }
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    int status = posix_spawn_file_actions_adddup2(&files, to[0], 0);   // without memory it would talk to whom we talk to
    if (status == 0) status = posix_spawn_file_actions_adddup2(&files, from[1], 1);
    if (status == 0 && state_->messages >= 0) status = posix_spawn_file_actions_adddup2(&files, state_->messages, 2);
    else if (status == 0) status = posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    const sigset_t anew = begun_anew(), none = no_signals();
    posix_spawnattr_setsigdefault(&how, &anew);
    posix_spawnattr_setsigmask(&how, &none);
    if (options.apart) {   // in a group of its own, which the terminal's keys do not reach
        posix_spawnattr_setpgroup(&how, 0);
        flags |= POSIX_SPAWN_SETPGROUP;
    }
    posix_spawnattr_setflags(&how, flags);
    if (status == 0)
        status = posix_spawn(&state_->process, words.front().c_str(), &files, &how, arguments.data(), environment.data());
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    close(to[0]);
    close(from[1]);
    state_->input = to[1];
    state_->output = from[0];
    if (status == 0) {
        state_->time.emplace(state_->process);
        return;
    }
    state_->process = -1;
    close_if_open(state_->input);
    close_if_open(state_->output);
    throw Error(fmt::format("{} cannot be started: {}", words.front(), reason_of(status)));
}

Child::~Child() { end(); }

bool Child::write(std::string_view bytes) {
    if (state_->input < 0) return false;
    while (!bytes.empty()) {
        const ssize_t count = ::send(state_->input, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

/// Until there is something to read, or the output is closed. False where nothing more comes: the time is over, the caller has
/// given up, or the child has ended, though a process that it has left behind holds its output open.
bool Child::wait_for_output(Clock::time_point until, const std::function<bool()>& given_up) {
    for (bool has_ended = false; state_->output >= 0;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();   // 0 when the time is over, not before
        if (left <= 0 || (given_up && given_up())) return false;
        forget_beginning(state_->messages);
        pollfd wanted{state_->output, POLLIN, 0};
        const int ready = poll(&wanted, 1, static_cast<int>(std::min<long long>(left, 100)));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
        if (has_ended) return false;
        has_ended = ready == 0 && !running();   // its last words may have come between the two questions: once more
    }
    return false;
}

bool Child::read_more(Clock::time_point until, const std::function<bool()>& given_up) {
    while (wait_for_output(until, given_up)) {
        char buffer[65536];
        if (const std::size_t count = read_some(state_->output, buffer, sizeof buffer); count > 0) {
            state_->read.append(buffer, count);
            return true;
        }
    }
    return false;
}

std::optional<std::string> Child::read_line(std::chrono::duration<double> limit, const std::function<bool()>& given_up) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    for (std::size_t seen = 0;;) {
        if (const std::size_t feed = state_->read.find('\n', seen); feed != std::string::npos) {
            std::string line = state_->read.substr(0, feed);
            state_->read.erase(0, feed + 1);
            return line;
        }
        seen = state_->read.size();
        if (seen > longest_line) {
            end();
            state_->read.clear();
            killed_ = false;   // it was its own doing
            ending_ = fmt::format("a line of more than {} bytes, at which it was stopped", longest_line);
            return std::nullopt;
        }
        if (!read_more(until, given_up)) return std::nullopt;
    }
}

std::optional<std::string> Child::read_bytes(std::size_t count, std::chrono::duration<double> limit) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    while (state_->read.size() < count)
        if (!read_more(until, {})) return std::nullopt;
    std::string bytes = state_->read.substr(0, count);
    state_->read.erase(0, count);
    return bytes;
}

bool Child::read_into(void* to, std::size_t count, std::chrono::duration<double> limit) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    auto* at = static_cast<char*>(to);
    const std::size_t held = std::min(count, state_->read.size());
    std::memcpy(at, state_->read.data(), held);
    state_->read.erase(0, held);
    for (std::size_t done = held; done < count;) {
        if (!wait_for_output(until, {})) return false;
        done += read_some(state_->output, at + done, std::min<std::size_t>(count - done, 1u << 30));
    }
    return true;
}

void Child::ended(int status) {
    state_->process = -1;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    killed_ = signal != 0 && !is_own_doing(signal);
    late_ = signal == SIGALRM;
    ending_ = WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                : fmt::format("signal {} ({})", signal, strsignal(signal));
}

std::chrono::duration<double> Child::own_time() { return state_->time->so_far(); }

bool Child::running() {
    if (state_->process < 0) return false;
    int status = 0;
    const pid_t found = waitpid(state_->process, &status, WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR)) return true;
    if (found == state_->process) {
        ended(status);
    } else {   // a host application that lets the system reap its children: it may have been anybody's doing
        state_->process = -1;
        killed_ = true;
        ending_ = "an end that the system does not tell, since this process ignores SIGCHLD or reaps all children";
    }
    return false;
}

void Child::end() {
    close_if_open(state_->input);
    if (state_->process >= 0 && running()) {
        kill(state_->process, SIGKILL);
        int status = 0;
        pid_t found = -1;
        do found = waitpid(state_->process, &status, 0);
        while (found < 0 && errno == EINTR);
        if (found == state_->process) ended(status);
        killed_ = false;   // by us, for what it did or did not do
        state_->process = -1;
    }
    close_if_open(state_->output);
}

std::string Child::last_message() const {
    if (state_->messages < 0) return {};
    const std::uint64_t size = size_of(state_->messages);
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(size, 4096)), '\0');
    const ssize_t count = pread(state_->messages, text.data(), text.size(), static_cast<off_t>(size - text.size()));
    text = trim(text.substr(0, static_cast<std::size_t>(std::max<ssize_t>(count, 0))));
    return text.substr(text.rfind('\n') + 1).substr(0, 300);   // no line feed: from 0 on
}

void Child::leave(std::chrono::duration<double> limit) {
    close_if_open(state_->input);
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    while (running() && state_->output >= 0 && Clock::now() < until)
        read_line(std::chrono::milliseconds(100));   // its output closes when it leaves
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
