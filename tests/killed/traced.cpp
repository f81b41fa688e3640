#include "killed/traced.hpp"

#if defined(__linux__) && defined(__x86_64__)

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace parallax::tests {

namespace {

struct Watched {
    long number;
    const char* name;
    bool opens;    ///< seen only where it makes or empties a file
    int flags;     ///< which argument says so
    bool writes;   ///< seen only on files, not on pipes and terminals
};

constexpr Watched watched[] = {{SYS_openat, "openat", true, 2, false},      {SYS_open, "open", true, 1, false},
                               {SYS_creat, "creat", false, 0, false},       {SYS_write, "write", false, 0, true},
                               {SYS_pwrite64, "pwrite", false, 0, true},    {SYS_writev, "writev", false, 0, true},
                               {SYS_pwritev, "pwritev", false, 0, true},    {SYS_ftruncate, "ftruncate", false, 0, false},
                               {SYS_truncate, "truncate", false, 0, false}, {SYS_fallocate, "fallocate", false, 0, false},
                               {SYS_rename, "rename", false, 0, false},     {SYS_renameat, "rename", false, 0, false},
                               {SYS_renameat2, "rename", false, 0, false},  {SYS_link, "link", false, 0, false},
                               {SYS_linkat, "link", false, 0, false},       {SYS_symlink, "symlink", false, 0, false},
                               {SYS_symlinkat, "symlink", false, 0, false}, {SYS_unlink, "unlink", false, 0, false},
                               {SYS_unlinkat, "unlink", false, 0, false},   {SYS_mkdir, "mkdir", false, 0, false},
                               {SYS_mkdirat, "mkdir", false, 0, false},     {SYS_rmdir, "rmdir", false, 0, false},
                               {SYS_fsync, "fsync", false, 0, false},       {SYS_fdatasync, "fsync", false, 0, false}};

const Watched* watched_of(long number) {
    for (const Watched& call : watched)
        if (call.number == number) return &call;
    return nullptr;
}

std::vector<sock_filter> filter() {
    const auto word = [](std::size_t at) {
        return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(at));
    };
    const sock_filter trace = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE), allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    std::vector<sock_filter> code{word(offsetof(seccomp_data, arch)),
                                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), allow};
    for (const Watched& call : watched) {
        code.push_back(word(offsetof(seccomp_data, nr)));
        const auto number = static_cast<std::uint32_t>(call.number);
        if (call.opens) {
            code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3));
            code.push_back(word(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(call.flags)));
            code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC, 0, 1));
        } else {
            code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
        }
        code.push_back(trace);
    }
    code.push_back(allow);
    return code;
}

/// What a child does between fork and exec: nothing that another thread's lock could stop.
[[noreturn]] void become(const std::vector<char*>& words, const std::vector<char*>& environment, const char* folder, int out,
                         const sock_fprog& program) {
    dup2(out, 2);
    dup2(open("/dev/null", O_WRONLY), 1);
    if (chdir(folder) != 0 || ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(126);
    raise(SIGSTOP);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        _exit(125);
    execve(words[0], words.data(), environment.data());
    _exit(127);
}

bool is_file(pid_t thread, unsigned long long descriptor) {
    char target[4096];
    const std::string link = "/proc/" + std::to_string(thread) + "/fd/" + std::to_string(static_cast<int>(descriptor));
    const ssize_t length = readlink(link.c_str(), target, sizeof target);
    return length > 0 && target[0] == '/' && std::strncmp(target, "/dev/", 5) != 0 && std::strncmp(target, "/proc/", 6) != 0;
}

}  // namespace

TracedRun run_traced(const std::vector<std::string>& given, const std::string& folder,
                     const std::map<std::string, std::string>& more, const Interference& interference) {
    std::vector<std::string> words = given, variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        if (!more.contains(text.substr(0, text.find('=')))) variables.push_back(text);
    }
    for (const auto& [name, value] : more) variables.push_back(name + '=' + value);
    std::vector<char*> arguments, environment;
    for (std::string& word : words) arguments.push_back(word.data());
    for (std::string& variable : variables) environment.push_back(variable.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    std::vector<sock_filter> code = filter();
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    char name[] = "/tmp/parallax-traced-XXXXXX";
    const int out = mkostemp(name, O_CLOEXEC);
    unlink(name);

    TracedRun run;
    const pid_t child = fork();
    if (child == 0) become(arguments, environment, folder.c_str(), out, program);
    int status = 0;
    bool traced = false;
    for (pid_t thread = 0; (thread = waitpid(traced ? -1 : child, &status, __WALL)) > 0;) {
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (thread != child) continue;
            run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            if (!traced) break;
            continue;
        }
        int signal = WSTOPSIG(status);
        if (!traced) {
            ptrace(PTRACE_SETOPTIONS, child, nullptr,
                   PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL);
            traced = true;
            signal = 0;
        } else if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_SECCOMP << 8))) {
            user_regs_struct registers{};
            ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
            const Watched* const call = watched_of(static_cast<long>(registers.orig_rax));
            if (call != nullptr && (!call->writes || is_file(thread, registers.rdi))) {
                ++run.calls;
                if (run.calls <= interference.at || interference.at == 0) run.last = call->name;
                if (interference.log) run.log.push_back(call->name);
                if (run.calls == interference.at) {
                    if (interference.error == 0) {
                        if (interference.moment) interference.moment();
                        kill(child, SIGKILL);
                        continue;
                    }
                    registers.orig_rax = static_cast<unsigned long long>(-1);
                    registers.rax = static_cast<unsigned long long>(-static_cast<long long>(interference.error));
                    ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
                }
            }
            signal = 0;
        } else if (status >> 16 != 0 || signal == SIGSTOP || signal == SIGTRAP) {
            signal = 0;   // a thread or a child has begun
        }
        ptrace(PTRACE_CONT, thread, nullptr, signal);
    }
    char some[4096];
    lseek(out, 0, SEEK_SET);
    for (ssize_t got = 0; (got = read(out, some, sizeof some)) > 0;) run.err.append(some, static_cast<std::size_t>(got));
    close(out);
    return run;
}

std::string why_not_traced() {
    const TracedRun run = run_traced({"/bin/sh", "-c", "exit 7"}, "/", {}, {});
    return run.status == 7 ? std::string()
                           : "this system does not let a program be traced (status " + std::to_string(run.status) + ")";
}

}  // namespace parallax::tests

#else

namespace parallax::tests {

std::string why_not_traced() { return "calls are traced on Linux on x86-64 alone"; }
TracedRun run_traced(const std::vector<std::string>&, const std::string&, const std::map<std::string, std::string>&,
                     const Interference&) {
    return {};
}

}  // namespace parallax::tests

#endif
