#include "support/helper.hpp"

#include "support/platform.hpp"

namespace parallax::host {
namespace fs = std::filesystem;
namespace {

std::string find_helper() {
    if (const auto given = platform::environment("PARALLAX_DRIVER")) return *given == "off" ? std::string() : *given;
    return program_beside("parallax-driver");
}

}   // namespace

std::string program_beside(const std::string& name) {
#if defined(_WIN32)
    const std::string file = name + ".exe";
#else
    const std::string& file = name;
#endif
    const fs::path here = platform::own_folder();
    if (here.empty()) return {};
    // In the build and in a Python package beside this; installed, the library is in lib or lib/<architecture>.
    for (const char* place : {".", "../bin", "../libexec/parallax", "../../libexec/parallax"}) {
        std::error_code problem;
        if (const fs::path program = here / place / file; fs::is_regular_file(program, problem)) return program.string();
    }
    return {};
}

const std::string& helper_program() {
    static const std::string program = find_helper();
    return program;
}

Child::Options helper_for(const std::string& library, std::vector<std::string> arguments) {
    Child::Options options;
    options.arguments = std::move(arguments);
    options.arguments.insert(options.arguments.begin(), helper_program());
    // ocl-icd takes a library from the first, Khronos' loader from the second; layers are for the program that asked for them.
    options.environment = {{"OCL_ICD_VENDORS", library}, {"OCL_ICD_FILENAMES", library}, {"OPENCL_LAYERS", ""}};
    return options;
}

}  // namespace parallax::host
