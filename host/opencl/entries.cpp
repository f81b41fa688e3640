#include "opencl/entries.hpp"

#include "parallax/host/error.hpp"
#include "support/platform.hpp"

#include <fmt/format.h>

namespace parallax::host::opencl {
namespace {

struct Loader {
    platform::SharedLibrary library;
    std::string problem;
};

Loader open_loader() {
    Loader loader;
    if (platform::function_of_process("clGetPlatformIDs") != nullptr) return loader;
#if defined(_WIN32)
    constexpr const char* name = "OpenCL.dll";
#elif defined(__APPLE__)
    constexpr const char* name = "/System/Library/Frameworks/OpenCL.framework/OpenCL";
#else
    constexpr const char* name = "libOpenCL.so.1";
#endif
    loader.library = platform::SharedLibrary::open(name, loader.problem);
    // Functions that stand in the place of some of OpenCL's call the next ones of that name.
    if (loader.library && platform::environment("LD_PRELOAD")) platform::show_to_all(name);
    return loader;
}

const Loader& loader() {
    static const Loader* const opened = new Loader(open_loader());   // to the end: objects may be released after main()
    return *opened;
}

}  // namespace

const std::string& loader_problem() { return loader().problem; }

void* loader_function(const char* name) noexcept {
    const Loader& opened = loader();
    void* const in_process = platform::function_of_process(name);
    return in_process != nullptr ? in_process : opened.library.symbol(name);
}

void NoLoader::missing(const char* name) {
    throw UnsupportedError(fmt::format("the OpenCL loader of this machine has no {}", name),
                           {loader_problem().empty() ? "it is older than OpenCL 1.2" : loader_problem()});
}

}  // namespace parallax::host::opencl
