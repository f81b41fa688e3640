// Folders that look as /proc and /sys do on systems with control groups of the first kind, of the second, and of both.
#include "support/control_group.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

using namespace parallax;
using host::platform::left_by_control_groups;

namespace {

class System {
public:
    void write(const std::string& file, const std::string& text) const { tests::write_text(folder_.path() / file, text); }
    void first_kind(const std::string& folder, const std::string& limit, std::uint64_t used) const {
        write(folder + "/memory.limit_in_bytes", limit + '\n');
        write(folder + "/memory.usage_in_bytes", std::to_string(used) + '\n');
    }
    void second_kind(const std::string& folder, const std::string& limit, std::uint64_t used) const {
        write(folder + "/memory.max", limit + '\n');
        write(folder + "/memory.current", std::to_string(used) + '\n');
    }
    std::optional<std::uint64_t> left() const { return left_by_control_groups(folder_.path()); }

private:
    tests::TemporaryFolder folder_;
};

constexpr const char* first_mount = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";
constexpr const char* second_mount = "30 23 0:26 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* boundless = "9223372036854771712";

}  // namespace

TEST_CASE("control groups: none, or none with a limit, leave everything") {
    System none;
    CHECK(!none.left());
    none.write("proc/self/cgroup", "0::/user.slice\n");
    none.write("proc/self/mountinfo", second_mount);
    CHECK(!none.left());
    none.second_kind("sys/fs/cgroup/user.slice", "max", 5000);
    CHECK(!none.left());
    System first;
    first.write("proc/self/cgroup", "4:memory:/a\n0::/\n");
    first.write("proc/self/mountinfo", first_mount);
    first.first_kind("sys/fs/cgroup/memory/a", boundless, 5000);
    CHECK(!first.left());
}

TEST_CASE("control groups: the second kind, the least of all above, without files that can be dropped") {
    System system;
    system.write("proc/self/cgroup", "0::/a/b\n");
    system.write("proc/self/mountinfo", "22 27 0:21 / /proc rw - proc proc rw\n" + std::string(second_mount));
    system.second_kind("sys/fs/cgroup/a/b", "9000", 1000);
    CHECK(system.left() == 8000);
    system.second_kind("sys/fs/cgroup/a", "7000", 6000);
    CHECK(system.left() == 1000);
    system.write("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 2000\nactive_file 500\nfile 2500\n");
    CHECK(system.left() == 3500);
    system.write("sys/fs/cgroup/a/memory.high", "5000\n");
    CHECK(system.left() == 1500);
    system.second_kind("sys/fs/cgroup/a/b", "900", 1000);
    CHECK(system.left() == 0);
}

TEST_CASE("control groups: the first kind, beside the second without its memory") {
    System system;
    system.write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory,pids:/a/b\n1:cpu:/z\n0::/\n");
    system.write("proc/self/mountinfo", "33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n" +
                                            std::string(first_mount) +
                                            "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
    system.first_kind("sys/fs/cgroup/memory", boundless, 1u << 30);
    system.first_kind("sys/fs/cgroup/memory/a", "8000", 6000);
    system.first_kind("sys/fs/cgroup/memory/a/b", boundless, 5000);
    CHECK(system.left() == 2000);
    system.write("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 7\ntotal_inactive_file 900\ntotal_active_file 100\n");
    CHECK(system.left() == 3000);
    system.first_kind("sys/fs/cgroup/memory/a/b", "5500", 5000);
    CHECK(system.left() == 500);
    system.first_kind("sys/fs/cgroup/memory/a/b", boundless, 5000);
    system.write("sys/fs/cgroup/memory/a/memory.use_hierarchy", "0\n");   // then its limit is for itself alone
    CHECK(!system.left());
}

TEST_CASE("control groups: a container sees a part of them, by another name") {
    System system;
    system.write("proc/self/cgroup", "4:memory:/docker/c0ffee/inner\n");
    system.write("proc/self/mountinfo", "35 31 0:32 /docker/c0ffee /sys/fs/my\\040groups rw - cgroup cgroup rw,memory\n");
    system.first_kind("sys/fs/my groups", "3000", 1000);
    CHECK(system.left() == 2000);
    system.first_kind("sys/fs/my groups/inner", "1500", 1000);
    CHECK(system.left() == 500);
    // A process that was put into another group than the one that is mounted.
    system.write("proc/self/cgroup", "4:memory:/../other\n");
    CHECK(system.left() == 2000);
}
