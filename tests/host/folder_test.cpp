// Ways below a folder that is held: by one call where the system has it (openat2), part by part where it has not, alike.
#include "support/folder.hpp"

#include "seed.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#if defined(__linux__)

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using parallax::host::Folder;
using parallax::host::OpenedFile;

namespace {

constexpr unsigned nobody = 65534;

/// The number of the file that a way leads to, while it is held; or why there is none.
template <class Open>
std::string reached(const Open& open) {
    try {
        const auto [held, path] = open();
        struct stat there{};
        return ::stat(path.c_str(), &there) == 0 ? std::to_string(there.st_ino) : "lost";
    } catch (const std::system_error& error) {
        return error.code().message();
    }
}

std::uint64_t number_of(const fs::path& file) {
    struct stat there{};
    return ::stat(file.c_str(), &there) == 0 ? there.st_ino : 0;
}

/// A line for each way.
std::string all_reached(const fs::path& place, const std::vector<std::string>& ways) {
    const Folder top = Folder::open_strictly(place);
    std::ostringstream text;
    for (const std::string& way : ways) {
        const auto file = [&] {
            const OpenedFile held = top.file(way);
            return std::pair(held, held.path());
        };
        const auto folder = [&] {
            const Folder held = top.below(way);
            return std::pair(held, held / ".");
        };
        text << way << ": " << reached(file) << ", " << reached(folder) << '\n';
    }
    return text.str();
}

/// From now on this process has no openat2, as under a kernel before 5.6 (ENOSYS) or an older container (EPERM).
bool lose_openat2(int code) {
    sock_filter program[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0 /* the number of the call */},
                             {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<std::uint32_t>(SYS_openat2)},
                             {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(code)},
                             {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    const sock_fprog filter{4, program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// All that are reached by another process, which has lost the call where a code is given, and who is not root; nothing: no call can
/// be taken away here.
std::optional<std::string> all_reached_elsewhere(int code, const fs::path& place, const std::vector<std::string>& ways) {
    int to_here[2];
    REQUIRE(::pipe(to_here) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::geteuid() == 0 && (::setegid(nobody) != 0 || ::seteuid(nobody) != 0)) ::_exit(1);
        if (code != 0 && !lose_openat2(code)) ::_exit(77);
        const std::string text = all_reached(place, ways);
        std::size_t done = 0;
        while (done < text.size()) {
            const ssize_t written = ::write(to_here[1], text.data() + done, text.size() - done);
            if (written <= 0) ::_exit(1);
            done += static_cast<std::size_t>(written);
        }
        ::_exit(0);
    }
    ::close(to_here[1]);
    std::string text;
    char piece[4096];
    for (ssize_t got; (got = ::read(to_here[0], piece, sizeof piece)) > 0;) text.append(piece, static_cast<std::size_t>(got));
    ::close(to_here[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return std::nullopt;
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
    return text;
}

}  // namespace

TEST_CASE("folders: ways below one lead to the same, and fail alike, with openat2 and without it") {
    const std::uint64_t seed = parallax::tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const parallax::tests::TemporaryFolder temporary;
    const fs::path base = fs::canonical(temporary.path()), top = base / "top";
    fs::create_directories(top / "a/b/c");
    fs::create_directories(base / "outside/b");
    for (const fs::path file : {"f", "a/f", "a/b/f", "a/b/c/f"}) std::ofstream(top / file) << "here";
    std::ofstream(base / "outside/f") << "secret";
    fs::create_directory_symlink(base / "outside", top / "a/out");
    fs::create_directory_symlink("b", top / "a/near");
    fs::create_symlink("f", top / "a/link");
    fs::create_symlink("nowhere", top / "a/b/dangling");
    fs::create_symlink("loop", top / "loop");
    REQUIRE(::mkfifo((top / "a/pipe").c_str(), 0600) == 0);
    for (const char* folder : {"passed", "closed"}) {   // one may go through the first, and not list it
        fs::create_directories(top / folder / "b");
        std::ofstream(top / folder / "f") << "here";
    }
    fs::permissions(top / "passed", fs::perms(0111));
    fs::permissions(top / "closed", fs::perms(0));
    const std::vector<std::string> parts = {"passed", "closed", "a", "b", "c", "f", "out", "near", "link", "dangling", "loop", "pipe", ".", "..", "",
                                            "missing", std::string(300, 'x')};
    std::vector<std::string> ways = {"", ".", "/", "/etc", "a/b/c/f", "a/b/c", "a/b/c/f/", "a/", "a/.", "a/b//", "a//b/f", "a/../f", "a/out/f",
                                     "passed/f", "closed/f", "passed", "passed/b/missing"};
    for (int draw = 0; draw < 500; ++draw) {
        std::string way;
        for (std::uint64_t left = 1 + random() % 5; left > 0; --left)
            way += (way.empty() ? "" : "/") + parts[random() % (random() % 2 ? 5 : parts.size())];
        ways.push_back(way);
    }
    const std::string with = all_reached_elsewhere(0, top, ways).value();
    CHECK(with.find("a/b/c/f: " + std::to_string(number_of(top / "a/b/c/f")) + ", Not a directory") != std::string::npos);
    CHECK(with.find("passed/f: " + std::to_string(number_of(top / "passed/f"))) != std::string::npos);
    CHECK(with.find("closed/f: Permission denied, Permission denied") != std::string::npos);
    for (const int code : {ENOSYS, EPERM, EINVAL, E2BIG}) {
        CAPTURE(code);
        const std::optional<std::string> without = all_reached_elsewhere(code, top, ways);
        if (!without) {
            MESSAGE("no system call can be taken away here");
            continue;
        }
        CHECK(with.size() == without->size());
        std::istringstream here(with), there(*without);
        for (std::string line, other; std::getline(here, line);) {
            std::getline(there, other);
            CHECK(line == other);
        }
    }
    fs::permissions(top / "passed", fs::perms::owner_all);
    fs::permissions(top / "closed", fs::perms::owner_all);
}

#endif
