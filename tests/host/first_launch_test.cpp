// PoCL compiles a kernel when it is launched, for that size of work-groups: in a child first, and for no other size.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include "devices.hpp"
#include "opencl/child_build.hpp"
#include "opencl/context.hpp"
#include "opencl/verdict.hpp"
#include "parallax/host/error.hpp"
#include "support.hpp"
#include "support/helper.hpp"
#include "support/sanitizers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>

using namespace parallax;
using namespace parallax::host;
using namespace parallax::tests;

namespace {

/// Whether the driver's child tries launches: see host/driver/idle_kernels.cpp.
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__)) && !PARALLAX_ADDRESS_SANITIZER && \
    !PARALLAX_THREAD_SANITIZER
constexpr bool tried = true;
#else
constexpr bool tried = false;
#endif

/// Where PoCL keeps what it has compiled, as it looks for it.
fs::path kept_by_pocl() {
    if (const auto given = platform::environment("POCL_CACHE_DIR")) return *given;
    if (const auto given = platform::environment("XDG_CACHE_HOME"); given && !given->empty())
        return fs::path(*given) / "pocl/kcache";
    if (const auto home = platform::environment("HOME")) return fs::path(*home) / ".cache/pocl/kcache";
    return "/tmp/pocl/kcache";
}

/// "8-1-1-goffs0-smallgrid": what it has compiled of a kernel of this name.
std::set<std::string> compiled(const std::string& kernel) {
    std::set<std::string> sizes;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(kept_by_pocl(), ignored))
        if (entry.path().filename() == kernel + ".so") sizes.insert(entry.path().parent_path().filename().string());
    return sizes;
}

bool any_begins(const std::set<std::string>& sizes, const std::string& with) {
    return std::any_of(sizes.begin(), sizes.end(), [&](const std::string& size) { return size.starts_with(with + "-"); });
}

/// A name that no cache has seen.
std::string new_name() {
    std::string name = "k" + platform::unique_suffix();
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
}

std::string text_of(const std::string& kernel) {
    return "__kernel void " + kernel + "(__global uint* data, uint value) { data[get_global_id(0)] = value; }\n";
}

/// Those that have children and compile at launches.
std::vector<std::shared_ptr<opencl::ClContext>> contexts(const std::string& cache) {
    std::vector<std::shared_ptr<opencl::ClContext>> list;
    for (const DevicePtr& device : kernel_devices_under_test())
        if (auto own = std::dynamic_pointer_cast<opencl::ClContext>(device->open({ProgramCache::open(cache)}));
            own && own->place().available && own->place().at_launch)
            list.push_back(std::move(own));
    return list;
}

std::size_t launches_kept(const fs::path& folder) {
    const fs::directory_iterator files(folder);
    return static_cast<std::size_t>(std::count_if(begin(files), end(files), [](const fs::directory_entry& file) {
        return file.path().filename().string().starts_with("launch-");
    }));
}

}  // namespace

TEST_CASE("a child compiles the kernel for the size that is launched, runs it not, and compiles for no other size") {
    const TemporaryFolder folder;
    for (const auto& context : contexts(folder.path().string())) {
        CAPTURE(context->info().name);
        const std::string name = new_name();
        const auto built = opencl::build_in_child(context->place(), {{"new"}, text_of(name), "-cl-std=CL1.2"});
        REQUIRE(built.outcome == opencl::ChildBuild::Outcome::built);
        REQUIRE(!built.binary.empty());
        CHECK(compiled(name).empty());
        // With memory that is nowhere: to run it would end the child.
        for (const std::size_t size : {8, 16}) {
            const auto met =
                opencl::launch_in_child(context->place(), built.binary, "-cl-std=CL1.2", {name, {size, 1, 1}, {4 * size, 1, 1}});
            CHECK(met.outcome == (tried ? opencl::ChildBuild::Outcome::built : opencl::ChildBuild::Outcome::untried));
        }
        if (!tried) continue;
        CHECK(compiled(name).size() == 2);
        CHECK(any_begins(compiled(name), "8-1-1"));
        CHECK(any_begins(compiled(name), "16-1-1"));
    }
}

TEST_CASE("a launch finds everything compiled, is met once for a size, and computes") {
    const TemporaryFolder folder;
    for (const auto& context : contexts(folder.path().string())) {
        CAPTURE(context->info().name);
        const std::string name = new_name();
        const std::size_t before = launches_kept(folder.path());
        const auto launch = [&](opencl::ClContext& in, std::size_t groups, std::size_t local, std::uint32_t value) {
            const auto program = in.build_text("new", text_of(name), "-cl-std=CL1.2");
            const auto kernel = program->kernel(name);
            const auto queue = in.create_queue({});
            const Buffer buffer = in.allocate(4 * groups * local);
            queue->launch({.kernel = *kernel, .groups = {groups}, .local = {local}, .args = std::array<Arg, 2>{buffer, value}});
            std::vector<std::uint32_t> words(groups * local);
            queue->read(buffer, 0, words.data(), 4 * words.size()).wait();
            CHECK(std::count(words.begin(), words.end(), value) == static_cast<std::ptrdiff_t>(words.size()));
        };
        launch(*context, 3, 8, 7);
        CHECK(compiled(name).size() == 1);
        CHECK(launches_kept(folder.path()) == before + (tried ? 1 : 0));
        launch(*context, 5, 8, 8);
        CHECK(launches_kept(folder.path()) == before + (tried ? 1 : 0));
        launch(*context, 16384, 8, 9);   // PoCL has other code where sums of indices take more bits
        CHECK(compiled(name).size() == 2);
        CHECK(launches_kept(folder.path()) == before + (tried ? 2 : 0));
        // What is known is not asked again: a process that has no children finds it in the cache.
        const auto again = std::dynamic_pointer_cast<opencl::ClContext>(context->reopen());
        REQUIRE(again);
        CHECK(again->build_text("new", text_of(name), "-cl-std=CL1.2")->origin() == "disk");
        launch(*again, 3, 8, 10);
        CHECK(launches_kept(folder.path()) == before + (tried ? 2 : 0));
        CHECK(compiled(name).size() == 2);
    }
}

TEST_CASE("a launch whose verdict is bad is refused with the reason, in every process") {
    const TemporaryFolder folder;
    for (const auto& context : contexts(folder.path().string())) {
        CAPTURE(context->info().name);
        const std::string name = new_name();
        const auto program = context->build_text("new", text_of(name), "-cl-std=CL1.2");
        const std::string reason = "the driver's compiler ended the process that tried it: signal 6";
        const auto cache = ProgramCache::open(folder.path().string());
        opencl::keep_failure(cache.get(), "launch-" + program->hash() + "-" + name + "-4x1x1", reason, 0);
        const auto kernel = program->kernel(name);
        const auto queue = context->create_queue({});
        const Buffer buffer = context->allocate(64);
        const auto launch = [&](std::size_t local) {
            queue->launch({.kernel = *kernel, .groups = {1}, .local = {local}, .args = std::array<Arg, 2>{buffer, 1u}});
        };
        try {
            launch(4);
            FAIL("it was launched");
        } catch (const UnsupportedError& error) {
            const std::string words = error.what();
            CHECK(words.find("signal 6") != std::string::npos);
            CHECK(words.find("work-groups of 4 x 1 x 1") != std::string::npos);
            CHECK(words.find(folder.path().string()) != std::string::npos);
        }
        CHECK(compiled(name).empty());
        CHECK_NOTHROW(launch(8));
        queue->finish();
    }
}

TEST_CASE("a kernel of one size of work-groups is refused before it is launched: another can still be planned") {
    const TemporaryFolder folder;
    for (const auto& context : contexts(folder.path().string())) {
        CAPTURE(context->info().name);
        const std::string name = new_name();
        const auto program =
            context->build_text("new", "__attribute__((reqd_work_group_size(4, 2, 1))) " + text_of(name), "-cl-std=CL1.2");
        const std::string reason = "the driver's compiler ended the process that tried it: signal 6";
        const auto cache = ProgramCache::open(folder.path().string());
        const std::string key = "launch-" + program->hash() + "-" + name + "-4x2x1";
        opencl::keep_failure(cache.get(), key, reason, 0);
        try {
            static_cast<void>(program->kernel(name));
            FAIL("it was made");
        } catch (const UnsupportedError& error) {
            CHECK(std::string(error.what()).find("work-groups of 4 x 2 x 1") != std::string::npos);
        }
        CHECK(compiled(name).empty());
        opencl::keep_sound(cache.get(), key);
        CHECK_NOTHROW(static_cast<void>(program->kernel(name)));
    }
}
