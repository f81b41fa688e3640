#include "support/file_lock.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#if !defined(_WIN32)
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using parallax::host::FileLock;

TEST_CASE("a lock keeps those out whom its kind keeps out, and ends with its holder") {
    parallax::tests::TemporaryFolder folder;
    const auto file = folder.path() / "lock";
    {
        const auto mine = FileLock::take(file, FileLock::Kind::shared);
        REQUIRE(mine);
        CHECK(FileLock::take(file, FileLock::Kind::shared));
        CHECK(!FileLock::take(file, FileLock::Kind::exclusive));
    }
    auto mine = FileLock::take(file, FileLock::Kind::exclusive);
    REQUIRE(mine);
    CHECK(!FileLock::take(file, FileLock::Kind::shared));
    CHECK(!FileLock::take(file, FileLock::Kind::exclusive));
    const FileLock moved = std::move(*mine);
    mine.reset();
    CHECK(!FileLock::take(file, FileLock::Kind::shared));
}

#if !defined(_WIN32)
TEST_CASE("a lock may be read by those alone who may write into its folder") {
    const parallax::tests::TemporaryFolder folder;
    const mode_t before = ::umask(0);
    for (const mode_t of_folder : {0700, 0755, 0750, 0775, 0777, 01777, 0730}) {
        ::chmod(folder.path().c_str(), of_folder);
        const mode_t expected = 0600 | ((of_folder & 0020) != 0 ? 0060 : 0) | ((of_folder & 01002) == 0002 ? 0006 : 0);
        CHECK(parallax::host::rights_of_lock(folder.path()) == expected);
        CHECK(FileLock::take(folder.path() / "lock", FileLock::Kind::exclusive));
        struct stat made {};
        CHECK(::stat((folder.path() / "lock").c_str(), &made) == 0);
        CHECK((made.st_mode & 0777) == expected);
        std::filesystem::remove(folder.path() / "lock");
    }
    ::umask(before);
    CHECK(parallax::host::rights_of_lock(folder.path() / "nowhere") == 0600);
}

TEST_CASE("a process that was forked while a lock was had does not keep it, nor lets go of it") {
    parallax::tests::TemporaryFolder folder;
    const auto file = folder.path() / "lock";
    int go[2];
    REQUIRE(::pipe(go) == 0);
    auto mine = FileLock::take(file, FileLock::Kind::exclusive);
    REQUIRE(mine);
    const pid_t child = ::fork();
    if (child == 0) {
        mine.reset();   // its copy
        char byte = 0;
        ::close(go[1]);
        ::_exit(::read(go[0], &byte, 1) == 0 ? 0 : 1);
    }
    ::close(go[0]);
    for (int i = 0; i < 20; ++i) {
        CHECK(!FileLock::take(file, FileLock::Kind::exclusive));
        ::usleep(1000);
    }
    mine.reset();
    CHECK(FileLock::take(file, FileLock::Kind::exclusive));
    ::close(go[1]);
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("a folder is locked without a file in it") {
    parallax::tests::TemporaryFolder folder;
    const auto mine = FileLock::take_folder(folder.path(), FileLock::Kind::exclusive);
    REQUIRE(mine);
    CHECK(mine->is_held());
    CHECK(!FileLock::take_folder(folder.path(), FileLock::Kind::exclusive));
    CHECK(std::filesystem::is_empty(folder.path()));
}
#endif

TEST_CASE("where a lock's file cannot be made nobody is kept out") {
    parallax::tests::TemporaryFolder folder;
    const auto one = FileLock::take(folder.path() / "absent/lock", FileLock::Kind::exclusive);
    CHECK(one);
    CHECK(FileLock::take(folder.path() / "absent/lock", FileLock::Kind::exclusive));
}
