#include "timing/environment.hpp"

#include "build_info.inc"
#include "support/platform.hpp"

#include <fstream>

namespace parallax::engine::compare {

namespace {

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

}  // namespace

Json environment() {
    Json json{{"processor", host::platform::processor_name()},
              {"threads", host::platform::processors()},
              {"memory", host::platform::physical_memory()},
              {"system", host::platform::system_version()},
              {"engine", PARALLAX_VERSION},
              {"revision", PARALLAX_REVISION},
              {"compiler", PARALLAX_COMPILER},
              {"build", PARALLAX_BUILD_TYPE}};
    if (const std::string governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"); !governor.empty())
        json["governor"] = governor;
    if (const std::string load = first_line("/proc/loadavg"); !load.empty()) json["load"] = load.substr(0, load.find(' '));
    if (const std::string driver = host::platform::nvidia_driver_version(); !driver.empty()) json["nvidia_driver"] = driver;
    return json;
}

}  // namespace parallax::engine::compare
