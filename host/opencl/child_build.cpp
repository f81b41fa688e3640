#include "opencl/child_build.hpp"

#include "support/helper.hpp"
#include "opencl/context.hpp"
#include "opencl/info.hpp"
#include "opencl/program.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/implementation.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace parallax::host::opencl {
namespace {

using Seconds = std::chrono::duration<double>;

/// llvmpipe takes minutes for a hologram's transforms. Of a child's own time (Child::own_time); by the clock it has a few times
/// that, since others may have the processors.
constexpr Seconds start_limit{60}, build_limit{1800};
constexpr double build_patience = 4;

/// NVIDIA's compiler has built every kernel of the project on several driver versions, and its contexts take .2 s and memory in
/// each process; Oclgrind's reports would be lost with the child.
bool is_sound(const DeviceInfo& info) {
    return contains_nocase(info.platform, "nvidia") || contains_nocase(info.platform, "oclgrind");
}

/// The driver's library, by the address of one of its functions: every object of OpenCL begins with a pointer to a table of them.
std::string library_of([[maybe_unused]] cl_platform_id platform) {
#if !defined(_WIN32)
    const auto* const table = *reinterpret_cast<const void* const* const*>(platform);
    Dl_info found{};
    if (table != nullptr && dladdr(table[1], &found) != 0 && found.dli_fname != nullptr)
        return found.dli_fname;   // clGetPlatformInfo
#endif
    return {};
}

/// Children that wait for work, by what they were started with.
class Pool {
public:
    std::unique_ptr<Child> take(const DevicePlace& place) {
        const std::lock_guard lock(mutex_);
        auto& idle = idle_[key(place)];
        while (!idle.empty()) {
            std::unique_ptr<Child> child = std::move(idle.back());
            idle.pop_back();
            if (child->running()) return child;
        }
        return nullptr;
    }
    void give(const DevicePlace& place, std::unique_ptr<Child> child) {
        const std::lock_guard lock(mutex_);
        idle_[key(place)].push_back(std::move(child));
    }
    /// Ends all that wait.
    void end() {
        const std::lock_guard lock(mutex_);
        idle_.clear();
    }

private:
    using Key = std::pair<std::string, std::pair<std::string, std::size_t>>;
    static Key key(const DevicePlace& place) { return {place.library, {place.platform, place.index}}; }
    std::mutex mutex_;
    std::map<Key, std::vector<std::unique_ptr<Child>>> idle_;
};

Pool& pool() {
    static Pool& children = *[] {   // to the end: objects of the host's may compile after main()
        std::atexit([] { pool().end(); });
        return new Pool;
    }();
    return children;
}

/// A new one, once it has found the device. Null where it does not.
std::unique_ptr<Child> start(const DevicePlace& place) {
    try {
        std::vector<std::string> arguments{"compile", place.library, place.platform, std::to_string(place.index)};
        if (place.at_launch) arguments.emplace_back("at-launch");
        auto child = std::make_unique<Child>(helper_for(place.library, std::move(arguments)));
        const auto line = child->read_line(start_limit * build_patience, [&] { return child->own_time() >= start_limit; });
        return line == "ready " + place.name ? std::move(child) : nullptr;
    } catch (const Error&) {   // no process can be had
        return nullptr;
    }
}

/// `own`: the time that it has had for itself.
ChildBuild lost(Child& child, bool late, Seconds own = {}) {
    ChildBuild result{ChildBuild::Outcome::lost, {}, {}, late && own >= build_limit, own.count()};
    if (late) {
        child.end();
        const Seconds limit = result.lasting ? build_limit : build_limit * build_patience;
        result.reason = fmt::format("the driver's compiler did not come to an end within {:g} s", limit.count());
    } else {
        child.leave(std::chrono::seconds(2));   // one that is just dying tells how
        result.lasting = !child.was_killed();
        result.reason = fmt::format("the driver's compiler ended the process that tried it: {}", child.ending());
    }
    if (const std::string words = child.last_message(); !words.empty()) result.reason += fmt::format("; it said: {}", words);
    return result;
}

ChildBuild with(ChildBuild::Outcome outcome) {
    ChildBuild result;
    result.outcome = outcome;
    return result;
}

ChildBuild read_built(Child& child, const std::string& line) {
    int status = 0;
    std::size_t bytes = 0;
    constexpr std::size_t most = std::size_t{1} << 30;   // no driver's binary is as large
    if (std::sscanf(line.c_str(), "built %d %zu", &status, &bytes) != 2 || bytes > most) return lost(child, false);
    const auto binary = child.read_bytes(bytes, start_limit);
    if (!binary) return lost(child, false);
    ChildBuild result = with(status == CL_SUCCESS ? ChildBuild::Outcome::built : ChildBuild::Outcome::failed);
    if (status == CL_SUCCESS) result.binary.assign(binary->begin(), binary->end());
    return result;
}

ChildBuild read_launched(Child& child, const std::string& line) {
    if (line == "launched") return with(ChildBuild::Outcome::built);
    return line == "untried" ? with(ChildBuild::Outcome::untried) : lost(child, false);
}

using ReadAnswer = ChildBuild (*)(Child&, const std::string& line);

/// Nothing: the child was gone before it had begun, as one is that has waited long.
std::optional<ChildBuild> ask(Child& child, const std::string& question, ReadAnswer read) {
    const Seconds before = child.own_time();
    Seconds own{};
    const auto given_up = [&] { return (own = child.own_time() - before) >= build_limit; };
    const auto until = std::chrono::steady_clock::now() + build_limit * build_patience;
    if (!child.write(question)) return std::nullopt;
    if (const auto line = child.read_line(build_limit * build_patience, given_up)) return read(child, *line);
    ChildBuild result = lost(child, own >= build_limit || std::chrono::steady_clock::now() >= until, own);
    // Its alarm is off while it compiles: it had waited too long, and ended just when it was asked.
    if (child.was_late()) return std::nullopt;
    return result;
}

ChildBuild ask_one(const DevicePlace& place, const std::string& question, ReadAnswer read) {
    if (!place.available) return {};
    for (int attempt = 0; attempt < 2; ++attempt) {
        std::unique_ptr<Child> child = attempt == 0 ? pool().take(place) : nullptr;
        if (!child) child = start(place);
        if (!child) return {};
        if (auto result = ask(*child, question, read)) {
            if (result->outcome != ChildBuild::Outcome::lost) pool().give(place, std::move(child));
            return std::move(*result);
        }
    }
    return {};
}

}  // namespace

DevicePlace place_of(const ClContext& context) {
    DevicePlace place;
    if (helper_program().empty() || is_sound(context.info())) return place;
    place.library = library_of(context.platform());
    place.platform = platform_string(context.platform(), CL_PLATFORM_NAME);
    place.at_launch = is_pocl(context.info());
    place.name = device_string(context.device(), CL_DEVICE_NAME);
    cl_uint count = 0;
    if (place.library.empty() || clGetDeviceIDs(context.platform(), CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS)
        return place;
    std::vector<cl_device_id> devices(count);
    if (count == 0 || clGetDeviceIDs(context.platform(), CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) != CL_SUCCESS)
        return place;
    while (place.index < devices.size() && devices[place.index] != context.device()) ++place.index;
    place.available = place.index < devices.size();   // a part of a device has no place in the list
    return place;
}

ChildBuild build_in_child(const DevicePlace& place, const ProgramText& source) {
    return ask_one(place, fmt::format("build {} {}\n", source.text.size(), source.options.size()) + source.text + source.options,
                   read_built);
}

ChildBuild launch_in_child(const DevicePlace& place, const std::vector<unsigned char>& binary, const std::string& options,
                           const KernelLaunch& launch) {
    return ask_one(place,
                   fmt::format("launch {} {} {} {} {}\n", binary.size(), options.size(), fmt::join(launch.local, " "),
                               fmt::join(launch.global, " "), launch.kernel) +
                       std::string(binary.begin(), binary.end()) + options,
                   read_launched);
}

}  // namespace parallax::host::opencl
