// parallax-driver: an OpenCL driver in a process of its own, which it may take with it. The runtime starts it; nobody else does.
//   parallax-driver probe SECONDS LIBRARY                  loads the driver, lists its platforms and devices, opens them
//   parallax-driver probe SECONDS LIBRARY LIBRARY...       loads drivers beside each other
//   parallax-driver compile LIBRARY PLATFORM INDEX         builds programs for one device, as they come
// One LIBRARY is the only driver that the OpenCL loader finds, since the runtime sets OCL_ICD_VENDORS and OCL_ICD_FILENAMES for it.
// Answers are lines. Before each thing that may end the process a line "doing WHAT" says what it is.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

int answers = 1;   // what the driver prints to standard output goes to standard error

bool put(const char* data, std::size_t size) {
    while (size > 0) {
        const ssize_t count = ::write(answers, data, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        data += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

void say(std::string line) {
    for (char& c : line)
        if (c == '\n' || c == '\0') c = ' ';
    line += '\n';
    if (!put(line.data(), line.size())) _exit(1);   // the runtime is gone
}

bool get(char* data, std::size_t size) {
    while (size > 0) {
        const ssize_t count = ::read(0, data, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        data += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

template <class Get, class Object>
std::string text_of(Get get_info, Object object, cl_uint what) {
    std::size_t size = 0;
    if (get_info(object, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string text(size, '\0');
    if (get_info(object, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
    const std::size_t first = text.find_first_not_of(" \t\r\n\0"), last = text.find_last_not_of(std::string(" \t\r\n\0", 5));
    return first == std::string::npos || last == std::string::npos ? std::string() : text.substr(first, last + 1 - first);
}

std::vector<cl_platform_id> platforms() {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
    std::vector<cl_platform_id> list(count);
    if (count > 0 && clGetPlatformIDs(count, list.data(), nullptr) != CL_SUCCESS) return {};
    return list;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
    std::vector<cl_device_id> list(count);
    if (count > 0 && clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, list.data(), nullptr) != CL_SUCCESS) return {};
    return list;
}

cl_context open_context(cl_platform_id platform, cl_device_id device) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform), 0};
    return clCreateContext(properties, 1, &device, nullptr, nullptr, nullptr);
}

void load(const char* library) {
    say(std::string("library ") + library);
    say("doing while it was loaded");
    void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);   // as loaders do
    if (handle == nullptr) {
        const char* const reason = dlerror();
        return say(std::string("cannot ") + (reason != nullptr ? reason : "be loaded"));
    }
    link_map* place = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&place)) == 0 && place != nullptr) say(std::string("loaded ") + place->l_name);
}

void list_platforms() {
    say("doing when its platforms were listed");
    for (const cl_platform_id platform : platforms()) {
        const std::string name = text_of(clGetPlatformInfo, platform, CL_PLATFORM_NAME);
        say("doing when the devices of " + name + " were listed");
        for (const cl_device_id device : devices_of(platform)) {
            for (const cl_uint what : {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION, CL_DEVICE_EXTENSIONS}) text_of(clGetDeviceInfo, device, what);
            // NVIDIA's contexts take .2 s and memory each, and what fails there fails as an error.
            if (name.find("NVIDIA") != std::string::npos) continue;
            say("doing when a device of " + name + " was opened");
            if (const cl_context context = open_context(platform, device); context != nullptr) clReleaseContext(context);
        }
    }
}

struct Built {
    cl_int status = CL_SUCCESS;
    std::string log;
    std::vector<unsigned char> binary;
};

Built build(cl_context context, cl_device_id device, const std::string& source, const std::string& options) {
    Built built;
    const char* text = source.data();
    const std::size_t size = source.size();
    const cl_program program = clCreateProgramWithSource(context, 1, &text, &size, &built.status);
    if (built.status != CL_SUCCESS) return built;
    built.status = clBuildProgram(program, 1, &device, options.c_str(), nullptr, nullptr);
    if (built.status == CL_SUCCESS) {
        cl_uint kernels = 0;   // some drivers compile no sooner
        if (clCreateKernelsInProgram(program, 0, nullptr, &kernels) == CL_SUCCESS && kernels > 0) {
            std::vector<cl_kernel> list(kernels);
            if (clCreateKernelsInProgram(program, kernels, list.data(), nullptr) == CL_SUCCESS)
                for (const cl_kernel kernel : list) clReleaseKernel(kernel);
        }
        std::size_t bytes = 0;
        if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) == CL_SUCCESS && bytes > 0) {
            built.binary.resize(bytes);
            unsigned char* place = built.binary.data();
            if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, static_cast<void*>(&place), nullptr) != CL_SUCCESS) built.binary.clear();
        }
    }
    clReleaseProgram(program);
    return built;
}

/// "build SOURCE_BYTES OPTIONS_BYTES" and the two texts; the answer is "built STATUS BINARY_BYTES" and the binary.
int compile(const std::string& platform_name, std::size_t index) {
    constexpr unsigned idle_s = 20;
    for (const cl_platform_id platform : platforms()) {
        if (text_of(clGetPlatformInfo, platform, CL_PLATFORM_NAME) != platform_name) continue;
        const std::vector<cl_device_id> devices = devices_of(platform);
        if (index >= devices.size()) continue;
        const cl_context context = open_context(platform, devices[index]);
        if (context == nullptr) break;
        say("ready " + text_of(clGetDeviceInfo, devices[index], CL_DEVICE_NAME));
        for (;;) {
            alarm(idle_s);
            std::string line;
            for (char c = 0; get(&c, 1) && c != '\n';) line += c;
            std::size_t source_bytes = 0, options_bytes = 0;
            if (std::sscanf(line.c_str(), "build %zu %zu", &source_bytes, &options_bytes) != 2) return 0;
            std::string source(source_bytes, '\0'), options(options_bytes, '\0');
            if (!get(source.data(), source.size()) || !get(options.data(), options.size())) return 0;
            alarm(0);
            const Built built = build(context, devices[index], source, options);
            say("built " + std::to_string(built.status) + ' ' + std::to_string(built.binary.size()));
            if (!put(reinterpret_cast<const char*>(built.binary.data()), built.binary.size())) return 0;
        }
    }
    say("none");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    // The host application's masks and handlers are not ours.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGALRM, SIG_DFL);
    signal(SIGINT, SIG_IGN);   // an interrupt at the terminal is the runtime's affair
    answers = fcntl(1, F_DUPFD_CLOEXEC, 3);
    dup2(2, 1);
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "probe" && argc > 3) {
        alarm(static_cast<unsigned>(std::atoi(argv[2])));   // should the runtime be gone by then
        for (int i = 3; i < argc; ++i) load(argv[i]);
        if (argc == 4) list_platforms();
        say("done");
        _exit(0);   // what a driver does on the way out is of no interest
    }
    if (what == "compile" && argc == 5) _exit(compile(argv[3], static_cast<std::size_t>(std::atoll(argv[4]))));
    std::fputs("parallax-driver is a part of Parallax that loads OpenCL drivers on trial; it is not called by hand\n", stderr);
    return 2;
}
