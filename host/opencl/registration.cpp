#include "opencl/registration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/entries.hpp"
#include "support/platform.hpp"
#include "support/text.hpp"

namespace parallax::host::opencl {
namespace {
namespace fs = std::filesystem;

constexpr const char* nvidia_library = "libnvidia-opencl.so.1";

Registration read_icd(const fs::path& path) {
    std::ifstream file(path);
    std::string line(4096, '\0');   // longer than any path
    file.getline(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(std::strlen(line.c_str()));
    const std::string library = trim(line);
    const bool is_text = std::none_of(library.begin(), library.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    return {path.string(), is_text ? library : std::string(), is_text && library != line};
}

// A folder of .icd files, one of them, or a library: what OCL_ICD_VENDORS may name. Khronos' loader takes folders only, and then
// finds nothing where ocl-icd finds one driver.
void read_place(std::vector<Registration>& list, const char* variable, const fs::path& place, const fs::path& folder) {
    std::error_code problem;
    if (fs::is_directory(place, problem)) {
        for (const fs::path& entry : entries_of(place, problem))
            if (entry.extension() == ".icd") list.push_back(read_icd(entry));
    } else if (place.extension() == ".icd") {
        const bool below_folder = !place.has_parent_path() && fs::exists(folder / place, problem);
        list.push_back(read_icd(below_folder ? folder / place : place));
    } else if (variable != nullptr) {
        list.push_back({variable, place.string()});
    }
}

void add_nvidia_problem(Inventory& inventory) {
    const auto is_nvidia = [](const std::string& name) { return contains_nocase(name, "nvidia"); };
    if (std::any_of(inventory.devices.begin(), inventory.devices.end(),
                    [&](const auto& device) { return is_nvidia(device->info().platform); }) ||
        std::any_of(inventory.problems.begin(), inventory.problems.end(),
                    [&](const auto& problem) { return is_nvidia(problem.platform); }))
        return;
    const std::string problem = platform::library_problem(nvidia_library);
    if (problem.empty())
        inventory.problems.push_back(
            {"NVIDIA", std::string(nvidia_library) + " is on this machine, but no OpenCL platform of it is registered",
             fmt::format("register it: mkdir -p /etc/OpenCL/vendors && echo {} > /etc/OpenCL/vendors/nvidia.icd",
                         nvidia_library)});
    else if (platform::has_nvidia_device())
        inventory.problems.push_back(
            {"NVIDIA", fmt::format("there is an NVIDIA device, but its OpenCL driver is missing ({})", problem),
             "install the driver's OpenCL part (Debian: nvidia-opencl-icd; containers: "
             "NVIDIA_DRIVER_CAPABILITIES=compute,utility), and let a file in /etc/OpenCL/vendors hold the line "
             "libnvidia-opencl.so.1"});
}

}  // namespace

std::vector<Registration> registrations() {
    std::vector<Registration> list;
    const auto folder = platform::environment("OPENCL_VENDOR_PATH");
    const fs::path usual = folder ? fs::path(*folder) : platform::opencl_vendor_folder();
    const auto chosen = platform::environment("OCL_ICD_VENDORS");
    const fs::path place = chosen ? fs::path(*chosen) : usual;
    if (!place.empty()) read_place(list, chosen ? "OCL_ICD_VENDORS" : nullptr, place, usual);
    std::istringstream files(platform::environment("OCL_ICD_FILENAMES").value_or(""));
    for (std::string library; std::getline(files, library, ':');)
        if (!library.empty()) list.push_back({"OCL_ICD_FILENAMES", library});
    std::sort(list.begin(), list.end(), [](const Registration& a, const Registration& b) { return a.source < b.source; });
    return list;
}

void add_registration_problems(Inventory& inventory, const std::vector<LeftOut>& left_out) {
    std::vector<Registration> entries = registrations();
    for (const LeftOut& driver : left_out) inventory.problems.push_back({driver.registration.source, driver.reason, driver.hint});
    std::erase_if(entries, [&](const Registration& entry) {
        return std::any_of(left_out.begin(), left_out.end(),
                           [&](const LeftOut& driver) { return driver.registration.library == entry.library; });
    });
    // Under a loader that does not read this folder (Oclgrind's, or an implementation linked directly) none of these
    // libraries is loaded, and loading them here would only do harm.
    const bool in_use = inventory.devices.empty() || std::any_of(entries.begin(), entries.end(), [](const Registration& entry) {
                            return !entry.library.empty() && platform::library_is_loaded(entry.library);
                        });
    if (!in_use) return;
    for (const Registration& entry : entries) {
        if (entry.library.empty()) {
            inventory.problems.push_back(
                {entry.source, "the file cannot be read or names no library", "reinstall the driver or remove the file"});
            continue;
        }
        if (entry.padded && !platform::library_is_loaded(entry.library)) {
            inventory.problems.push_back(
                {entry.source,
                 "blanks or a carriage return stand beside the library's name: the loader takes them for a part of it",
                 fmt::format("write the name alone: echo {} > {}", entry.library, entry.source)});
            continue;
        }
        const std::string problem = platform::library_problem(entry.library);
        if (!problem.empty())
            inventory.problems.push_back({entry.source, fmt::format("it names a library that cannot be loaded: {}", problem),
                                          "reinstall the driver that the file belongs to, or remove the file"});
    }
    // Who chooses one driver by hand does not ask about the others.
    const bool nvidia_left_out = std::any_of(left_out.begin(), left_out.end(), [](const LeftOut& driver) {
        return contains_nocase(driver.registration.library, "nvidia");
    });
    if (!nvidia_left_out && !platform::environment("OCL_ICD_VENDORS") && !platform::environment("OPENCL_VENDOR_PATH"))
        add_nvidia_problem(inventory);
}

}  // namespace parallax::host::opencl
