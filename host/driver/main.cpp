// parallax-driver: an OpenCL driver in a process of its own, which it may take with it. The runtime starts it; nobody else does.
//   parallax-driver probe SECONDS LIBRARY                  loads the driver, lists its platforms and devices, opens them
//   parallax-driver probe SECONDS LIBRARY LIBRARY...       loads drivers beside each other
//   parallax-driver compile LIBRARY PLATFORM INDEX [at-launch]   builds programs for one device, as they come, and kernels that
//   it compiles at launch
// One LIBRARY is the only driver that the OpenCL loader finds, since the runtime sets OCL_ICD_VENDORS and OCL_ICD_FILENAMES for
// it. Answers are lines. Before each thing that may end the process a line "doing WHAT" says what it is.
#include "compile.hpp"
#include "devices.hpp"
#include "talk.hpp"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace driver;

namespace {

void load(const char* library) {
    say(std::string("library ") + library);
    say("doing while it was loaded");
    void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);   // as loaders do
    if (handle == nullptr) {
        const char* const reason = dlerror();
        return say(std::string("cannot ") + (reason != nullptr ? reason : "be loaded"));
    }
    link_map* place = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&place)) == 0 && place != nullptr)
        say(std::string("loaded ") + place->l_name);
}

void list_platforms() {
    say("doing when its platforms were listed");
    for (const cl_platform_id platform : platforms()) {
        const std::string name = text_of(platform, CL_PLATFORM_NAME);
        say("doing when the devices of " + name + " were listed");
        for (const cl_device_id device : devices_of(platform)) {
            for (const cl_uint what :
                 {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION, CL_DEVICE_EXTENSIONS})
                text_of(device, what);
            // NVIDIA's contexts take .2 s and memory each, and what fails there fails as an error.
            if (name.find("NVIDIA") != std::string::npos) continue;
            say("doing when a device of " + name + " was opened");
            if (const cl_context context = open_context(platform, device); context != nullptr) clReleaseContext(context);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    signal(SIGINT, SIG_IGN);   // an interrupt at the terminal is the runtime's affair
    keep_answers_apart();
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "probe" && argc > 3) {
        alarm(static_cast<unsigned>(std::atoi(argv[2])));   // should the runtime be gone by then
        for (int i = 3; i < argc; ++i) load(argv[i]);
        if (argc == 4) list_platforms();
        say("done");
        _exit(0);   // what a driver does on the way out is of no interest
    }
    if (what == "compile" && (argc == 5 || argc == 6))
        _exit(
            compile(argv[3], static_cast<std::size_t>(std::atoll(argv[4])), argc == 6 && std::strcmp(argv[5], "at-launch") == 0));
    std::fputs("parallax-driver is a part of Parallax that loads OpenCL drivers on trial; it is not called by hand\n", stderr);
    return 2;
}
