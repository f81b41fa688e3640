#include "support/helper.hpp"

#include "support/platform.hpp"
#include "support/warnings.hpp"

#include <fmt/format.h>

namespace parallax::host {
namespace fs = std::filesystem;
namespace {

std::string find_helper() {
    const auto given = platform::environment("PARALLAX_DRIVER");
    if (!given) return program_beside("parallax-driver");
    std::error_code problem;
    if (*given == "off") return {};
    if (fs::is_regular_file(*given, problem)) return *given;
    warn_once(fmt::format("PARALLAX_DRIVER is \"{}\", which is no program: OpenCL drivers are tried by the one that comes along; "
                          "unset it, or let it be a program's path, or \"off\"",
                          *given));
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
    static const std::string& program = *new std::string(find_helper());   // to the end: objects may compile after main()
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
