#include "compile.hpp"

#include "build.hpp"
#include "devices.hpp"
#include "launch.hpp"
#include "talk.hpp"

#include <unistd.h>

#include <cstdio>

namespace driver {
namespace {

/// "build SOURCE_BYTES OPTIONS_BYTES" and the two texts; the answer is "built STATUS BINARY_BYTES" and the binary.
bool answer_build(const Device& device, const std::string& line, bool object) {
    std::size_t source_bytes = 0, options_bytes = 0;
    if (std::sscanf(line.c_str(), "build %zu %zu", &source_bytes, &options_bytes) != 2) return false;
    std::string source(source_bytes, '\0'), options(options_bytes, '\0');
    if (!get(source.data(), source.size()) || !get(options.data(), options.size())) return false;
    alarm(0);
    Built built = object ? build_object(device, source, options) : build(device, source, options);
    if (object && built.status == CL_SUCCESS && built.binary.empty()) built = build(device, source, options);
    say("built " + std::to_string(built.status) + ' ' + std::to_string(built.binary.size()));
    return put(built.binary.data(), built.binary.size());
}

/// "launch BINARY_BYTES OPTIONS_BYTES LX LY LZ GX GY GZ KERNEL", binary and options; the answer is "launched" or "untried".
bool answer_launch(Launcher& launcher, const std::string& line) {
    std::size_t binary_bytes = 0, options_bytes = 0;
    Launch launch;
    auto& [lx, ly, lz] = launch.local;
    auto& [gx, gy, gz] = launch.global;
    int name = 0;
    if (std::sscanf(line.c_str(), "launch %zu %zu %zu %zu %zu %zu %zu %zu %n", &binary_bytes, &options_bytes, &lx, &ly, &lz, &gx,
                    &gy, &gz, &name) != 8)
        return false;
    launch.kernel = line.substr(static_cast<std::size_t>(name));
    launch.binary.resize(binary_bytes);
    launch.options.resize(options_bytes);
    if (!get(reinterpret_cast<char*>(launch.binary.data()), binary_bytes) || !get(launch.options.data(), options_bytes))
        return false;
    alarm(0);
    say(launcher.compile(launch) ? "launched" : "untried");
    return true;
}

}  // namespace

int compile(const std::string& platform_name, std::size_t index, bool at_launch) {
    constexpr unsigned idle_s = 20;
    for (const cl_platform_id platform : platforms()) {
        if (text_of(platform, CL_PLATFORM_NAME) != platform_name) continue;
        const std::vector<cl_device_id> devices = devices_of(platform);
        if (index >= devices.size()) continue;
        const Device device{open_context(platform, devices[index]), devices[index]};
        if (device.context == nullptr) break;
        Launcher launcher(device);
        say("ready " + text_of(device.id, CL_DEVICE_NAME));
        for (;;) {
            alarm(idle_s);
            const std::string line = get_line();
            const bool launch = line.compare(0, 7, "launch ") == 0;
            if (!(launch ? answer_launch(launcher, line) : answer_build(device, line, at_launch))) return 0;
        }
    }
    say("none");
    return 0;
}

}  // namespace driver
