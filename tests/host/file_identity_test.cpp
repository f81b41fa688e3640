// What is known of a file's state by its times.
#include "support/file_identity.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <chrono>

using namespace parallax;
namespace fs = std::filesystem;

TEST_CASE("file identity: a time that may be had again tells nothing, nor does one that any program may set") {
    const tests::TemporaryFolder folder;
    const fs::path file = folder.path() / "a.dat";
    tests::write_text(file, "abc");
    CHECK(host::may_keep_its_time(*host::identity_of(file)));   // it is fresh
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    host::FileIdentity identity = *host::identity_of(file);
    CHECK(identity.bytes == 3);
    identity.changed = identity.modified + 1;   // as where a time of change is kept
    CHECK(!host::may_keep_its_time(identity));
    CHECK(!host::may_change_unseen(identity));
    const std::int64_t now = host::identity_of(file)->changed;
    host::FileIdentity mapped = identity;
    mapped.modified = now - 10'000'000'000;
    CHECK(!host::may_keep_its_time(mapped));
    CHECK(host::may_change_unseen(mapped));   // its pages may not be on the disk yet
    identity.changed = now / 1'000'000'000 * 1'000'000'000;   // as a file system of whole seconds has it
    CHECK(host::may_keep_its_time(identity));
    identity.changed = host::no_time_of_change;
    CHECK(host::may_keep_its_time(identity));
}
