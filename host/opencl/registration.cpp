#include "opencl/registration.hpp"

#include "platform.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace parallax::host::opencl {
namespace {
namespace fs = std::filesystem;

struct Registration {
    std::string source;    ///< the .icd file or the variable that names the library
    std::string library;
};

void read_icd(std::vector<Registration>& list, const fs::path& path) {
    std::ifstream file(path);
    std::string library;
    std::getline(file, library);
    list.push_back({path.string(), trim(library)});
}

// As ocl-icd and Khronos' loader look for drivers: OCL_ICD_VENDORS or OPENCL_VENDOR_PATH may name a folder, one .icd
// file, or (the first) a library.
std::vector<Registration> registrations() {
    std::vector<Registration> list;
    const auto chosen = platform::environment("OCL_ICD_VENDORS");
    const auto other = platform::environment("OPENCL_VENDOR_PATH");
    fs::path place = chosen ? fs::path(*chosen) : other ? fs::path(*other) : platform::opencl_vendor_folder();
    if (place.empty()) return list;
    std::error_code problem;
    if (fs::is_directory(place, problem)) {
        for (const fs::directory_entry& entry : fs::directory_iterator(place, problem))
            if (entry.path().extension() == ".icd") read_icd(list, entry.path());
    } else if (place.extension() == ".icd") {
        if (!fs::exists(place, problem) && place.is_relative()) place = platform::opencl_vendor_folder() / place;
        read_icd(list, place);
    } else if (chosen) {
        list.push_back({"OCL_ICD_VENDORS", *chosen});
    }
    std::sort(list.begin(), list.end(), [](const Registration& a, const Registration& b) { return a.source < b.source; });
    return list;
}

void add_nvidia_problem(Inventory& inventory) {
    const auto is_nvidia = [](const std::string& name) { return contains_nocase(name, "nvidia"); };
    if (std::any_of(inventory.devices.begin(), inventory.devices.end(), [&](const auto& device) { return is_nvidia(device->info().platform); }) ||
        std::any_of(inventory.problems.begin(), inventory.problems.end(), [&](const auto& problem) { return is_nvidia(problem.platform); }))
        return;
    const std::string library = "libnvidia-opencl.so.1";
    const std::string problem = platform::library_problem(library);
    if (problem.empty())
        inventory.problems.push_back({"NVIDIA", library + " is on this machine, but no OpenCL platform of it is registered",
                                      fmt::format("register it: mkdir -p /etc/OpenCL/vendors && echo {} > /etc/OpenCL/vendors/nvidia.icd", library)});
    else if (platform::has_nvidia_device())
        inventory.problems.push_back({"NVIDIA", fmt::format("there is an NVIDIA device, but its OpenCL driver is missing ({})", problem),
                                      "install the driver's OpenCL part (Debian: nvidia-opencl-icd; containers: "
                                      "NVIDIA_DRIVER_CAPABILITIES=compute,utility), and let a file in /etc/OpenCL/vendors hold the line "
                                      "libnvidia-opencl.so.1"});
}

}  // namespace

void add_registration_problems(Inventory& inventory) {
    const std::vector<Registration> entries = registrations();
    // Under a loader that does not read this folder (Oclgrind's, or an implementation linked directly) none of these
    // libraries is loaded, and loading them here would only do harm.
    const bool in_use = inventory.devices.empty() || std::any_of(entries.begin(), entries.end(), [](const Registration& entry) {
                            return !entry.library.empty() && platform::library_is_loaded(entry.library);
                        });
    if (!in_use) return;
    for (const Registration& entry : entries) {
        if (entry.library.empty()) {
            inventory.problems.push_back({entry.source, "the file cannot be read or names no library", "reinstall the driver or remove the file"});
            continue;
        }
        const std::string problem = platform::library_problem(entry.library);
        if (!problem.empty())
            inventory.problems.push_back({entry.source, fmt::format("it names a library that cannot be loaded: {}", problem),
                                          "reinstall the driver that the file belongs to, or remove the file"});
    }
    // Who chooses one driver by hand does not ask about the others.
    if (!platform::environment("OCL_ICD_VENDORS") && !platform::environment("OPENCL_VENDOR_PATH")) add_nvidia_problem(inventory);
}

}  // namespace parallax::host::opencl
