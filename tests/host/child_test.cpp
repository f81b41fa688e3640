// Children that say more than anybody wants to hear.
#include "few_files.hpp"
#include "support/child.hpp"

#include "parallax/host/error.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#if !defined(_WIN32)
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <map>
#include <set>

using namespace parallax;
using host::Child;
using namespace std::chrono_literals;

namespace {

Child::Options shell(const std::string& script, const tests::fs::path& messages = {}) {
    return {{"/bin/sh", "-c", script}, {}, messages};
}

}  // namespace

TEST_CASE("a child whose line has no end is stopped at the longest that we take, and says so") {
    Child child(shell("yes | tr -d '\\n'"));
    CHECK(!child.read_line(600s));
    CHECK(!child.running());
    CHECK(child.ending().find("a line of more than") == 0);
    CHECK(!child.was_killed());
}

TEST_CASE("where no more files can be opened, no child is started, and what to try is told") {
    for (int more = 0; more < 4; ++more) {
        std::exception_ptr thrown;   // looked at later: a sanitizer does so through a pipe
        {
            const tests::FewFiles few(more);
            try {
                Child child(shell("exit 0"));
            } catch (...) {
                thrown = std::current_exception();
            }
        }
        REQUIRE(thrown);
        std::string told;
        try {
            std::rethrow_exception(thrown);
        } catch (const Error& error) {
            told = error.what();
        }
        CAPTURE(more);
        CAPTURE(told);
        for (const char* const part : {"/bin/sh", "Too many open files", "ulimit -n"}) CHECK(told.find(part) != std::string::npos);
    }
}

TEST_CASE("a child that others have ended, or a limit of the system, is told from one that has ended itself") {
    for (const char* others : {"HUP", "INT", "TERM", "KILL", "XFSZ", "XCPU", "USR1", "PIPE"}) {
        CAPTURE(others);
        Child child(shell(std::string("kill -") + others + " $$"));
        child.leave(600s);
        CHECK(child.was_killed());
    }
    for (const char* own :
         {"kill -ABRT $$", "kill -SEGV $$", "kill -BUS $$", "kill -ILL $$", "kill -FPE $$", "exit 3", "exit 0"}) {
        CAPTURE(own);
        Child child(shell(std::string("ulimit -c 0; ") + own));
        child.leave(600s);
        CHECK(!child.was_killed());
    }
    Child by_us(shell("exec sleep 600"));
    by_us.end();
    CHECK(!by_us.was_killed());
}

TEST_CASE("a child whose output cannot be read is not waited for until the time is over") {
    const auto pipes = [] {
        std::set<int> numbers;
        struct stat state {};
        for (int file = 3; file < 256; ++file)
            if (fstat(file, &state) == 0 && S_ISFIFO(state.st_mode)) numbers.insert(file);
        return numbers;
    };
    const std::set<int> before = pipes();
    Child child(shell("exec sleep 600"));
    const int folder = open("/", O_RDONLY | O_CLOEXEC);   // ready at any time, and no read of it succeeds
    for (const int pipe : pipes())
        if (before.count(pipe) == 0) REQUIRE(dup2(folder, pipe) == pipe);
    close(folder);
    int asked = 0;
    CHECK(!child.read_line(600s, [&] { return ++asked > 20; }));
    CHECK(asked == 1);
    char byte = 0;
    CHECK(!child.read_into(&byte, 1, 600s));
}

TEST_CASE("a child begins with no signal blocked and none ignored but a terminal's, whatever its parent does with signals") {
    if (!tests::fs::exists("/proc/self/status")) return;
    constexpr std::array theirs{SIGCHLD, SIGPIPE, SIGALRM, SIGUSR1, SIGTERM, SIGXFSZ};
    std::array<struct sigaction, theirs.size()> before{};
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigset_t all, mask;
    sigfillset(&all);
    for (std::size_t i = 0; i < theirs.size(); ++i) REQUIRE(sigaction(theirs[i], &ignore, &before[i]) == 0);
    pthread_sigmask(SIG_BLOCK, &all, &mask);
    std::map<std::string, std::uint64_t> told;
    for (const bool apart : {false, true}) {
        Child child({{host::program_path("grep").string(), "^Sig[BI][lg]", "/proc/self/status"}, {}, {}, apart});
        while (const auto line = child.read_line(600s)) told[line->substr(0, 6)] |= std::stoull(line->substr(7), nullptr, 16);
    }
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    for (std::size_t i = 0; i < theirs.size(); ++i) sigaction(theirs[i], &before[i], nullptr);
    REQUIRE(told.size() == 2);
    CHECK(told["SigBlk"] == 0);
    for (const int signal : theirs) {
        CAPTURE(signal);
        CHECK((told["SigIgn"] >> (signal - 1) & 1) == 0);
    }
}

TEST_CASE("of a child whose end the system does not tell nothing is learned") {
    struct sigaction ignore {
    }, before{};
    ignore.sa_handler = SIG_IGN;
    REQUIRE(sigaction(SIGCHLD, &ignore, &before) == 0);
    Child child(shell("exit 3"));
    child.leave(600s);
    sigaction(SIGCHLD, &before, nullptr);
    CHECK(child.ending().find("the system does not tell") != std::string::npos);
    CHECK(child.was_killed());
}

TEST_CASE("a child that stays apart is in a group of its own, which a terminal's interrupt does not reach") {
    const auto group = [](bool apart) {
        Child::Options options = shell("ps -o pgid= -p $$ || cut -d' ' -f5 /proc/$$/stat");
        options.apart = apart;
        Child child(options);
        return std::stoi(child.read_line(600s).value_or("0"));
    };
    CHECK(group(false) == static_cast<int>(::getpgrp()));
    CHECK(group(true) != static_cast<int>(::getpgrp()));
}

TEST_CASE("a child's lines come whole, long ones too") {
    Child child(shell("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last"));
    CHECK(child.read_line(600s) == "first");
    CHECK(child.read_line(600s) == std::string(5000000, 'x'));
    CHECK(child.read_line(600s) == "last");
    CHECK(!child.read_line(600s));
    child.leave(600s);
    CHECK(child.ending() == "exit status 0");
}

TEST_CASE("a child that has ended is not waited for, though a process that it left behind holds its output open") {
    Child child(shell("sleep 600 & echo $!; echo last; exit 3"));
    const int left_behind = std::stoi(child.read_line(600s).value_or("0"));
    CHECK(child.read_line(600s) == "last");
    const auto began = std::chrono::steady_clock::now();
    CHECK(!child.read_line(500s));
    char bytes[8];
    CHECK(!child.read_into(bytes, sizeof bytes, 500s));
    CHECK(std::chrono::steady_clock::now() - began < 400s);
    CHECK(!child.running());
    CHECK(child.ending() == "exit status 3");
    if (left_behind > 0) ::kill(left_behind, SIGKILL);
}

TEST_CASE("a child whose messages cannot be kept is not started, and nothing of it stays open") {
    if (!tests::fs::exists("/proc/self/fd")) return;
    const auto open_files = [] {
        return std::distance(tests::fs::directory_iterator("/proc/self/fd"), tests::fs::directory_iterator());
    };
    const tests::TemporaryFolder folder;
    const auto before = open_files();
    CHECK_THROWS_AS(Child(shell("echo", folder.path() / "absent/messages")), Error);
    CHECK_THROWS_AS(Child({{"/nowhere/program"}, {}, {}}), Error);
    CHECK(open_files() == before);
}

#if defined(__linux__)
TEST_CASE("of a child's endless messages the end is kept") {
    const std::string much =
        "for i in 1 2 3 4 5 6; do head -c 40000000 /dev/zero | tr '\\0' m >&2; echo part; read go; done; "
        "echo >&2; echo last words >&2; echo done";
    tests::TemporaryFolder folder;
    const tests::fs::path messages = folder.path() / "messages";
    Child child(shell(much, messages));
    for (int part = 0; part < 6; ++part) {
        REQUIRE(child.read_line(600s) == "part");
        REQUIRE(child.write("go\n"));
    }
    CHECK(child.read_line(600s) == "done");
    CHECK(child.last_message() == "last words");
    struct stat state {};
    REQUIRE(stat(messages.c_str(), &state) == 0);
    CHECK(state.st_size > 240000000);
    CHECK(state.st_blocks * 512 < 120000000);
}
#endif
#endif
