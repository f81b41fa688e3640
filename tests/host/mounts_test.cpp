// Paths to folders that are mounted more than once.
#include "support/mounts.hpp"

#include "seed.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace parallax;
namespace fs = std::filesystem;

TEST_CASE("mounts: a line of the system's says device, place in it and where it is; spaces are digits") {
    const tests::TemporaryFolder folder;
    tests::write_text(folder.path() / "proc/self/mountinfo",
                      "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
                      "22 21 8:1 /home/my\\040scans /mnt/a\\134b rw - ext4 /dev/sda1 rw\n"
                      "damaged\n23 21 0:5 / /proc\n"
                      "24 21 0:40 / /mnt/nameless rw - tmpfs  rw,size=4k\n");
    const std::vector<host::Mount> found = host::mounts(folder.path());
    REQUIRE(found.size() == 3);
    CHECK(found[2].type == "tmpfs");
    CHECK(found[2].options == "rw,size=4k");
    CHECK(found[1].device == "8:1");
    CHECK(found[1].top == "/home/my scans");
    CHECK(found[1].point == "/mnt/a\\b");
    CHECK(found[1].type == "ext4");
    const host::Mounts mounts(found);
    CHECK(mounts.first_path("/mnt/a\\b/x.tif") == "/home/my scans/x.tif");
    CHECK(mounts.first_path("/mnt/a\\b") == "/home/my scans");
    CHECK(mounts.first_path("/mnt/a\\bc") == "/mnt/a\\bc");
    CHECK(mounts.inside("/mnt") == "/mnt/a\\b");
    CHECK(mounts.inside("/mnt/a\\b").empty());
    CHECK(mounts.inside("").empty());   // of what has gone there is no real path
    CHECK(mounts.inside("mnt").empty());
    CHECK(host::mounts("/nowhere").empty());
}

TEST_CASE("mounts: two paths have one first path where they are one place, and only there") {
    std::mt19937 random(static_cast<std::mt19937::result_type>(tests::drawn_seed()));
    const auto drawn = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto path = [&] {
        fs::path way = "/";
        for (int i = drawn(4); i > 0; --i) way /= std::string(1, static_cast<char>('a' + drawn(3)));
        return way;
    };
    int twice = 0;
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<host::Mount> all = {{"0", "/", "/", "", ""}};
        for (int i = drawn(6); i > 0; --i) all.push_back({std::to_string(drawn(3)), path(), path(), "", ""});
        // Where a path leads: step by step, into what was mounted last at each, but for what another has covered since.
        const auto place = [&](const fs::path& asked) {
            const host::Mount* in = nullptr;
            fs::path at, way;
            const auto enter = [&] {
                for (const host::Mount& one : all)
                    if (one.point == at && (!in || &one > in)) in = &one, way = one.top;
            };
            for (const fs::path& part : asked) {
                at = part == "/" ? fs::path("/") : at / part;
                if (part != "/") way /= part;
                enter();
            }
            return in->device + ":" + way.string();
        };
        const host::Mounts mounts(all);
        std::map<std::string, fs::path> first_of;
        for (int i = 0; i < 40; ++i) {
            const fs::path asked = path(), first = mounts.first_path(asked);
            CAPTURE(trial);
            CAPTURE(asked.string());
            CHECK(place(first) == place(asked));
            const auto [known, fresh] = first_of.emplace(place(asked), first);
            CHECK(known->second == first);
            twice += !fresh && known->second != asked ? 1 : 0;
        }
    }
    CHECK(twice > 100);
}
