#include "support/file_lock.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

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

TEST_CASE("where a lock's file cannot be made nobody is kept out") {
    parallax::tests::TemporaryFolder folder;
    const auto one = FileLock::take(folder.path() / "absent/lock", FileLock::Kind::exclusive);
    CHECK(one);
    CHECK(FileLock::take(folder.path() / "absent/lock", FileLock::Kind::exclusive));
}
