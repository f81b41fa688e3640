#include "support/platform.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX   // libstdc++ for mingw-w64 defines it
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#endif
#if defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(__linux__)
#include <sched.h>
#include <sys/auxv.h>
#endif

namespace parallax::host::platform {
namespace fs = std::filesystem;

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
}

fs::path cache_folder() {
#if defined(_WIN32)
    if (const auto local = environment("LOCALAPPDATA")) return fs::path(*local) / "parallax" / "cache";
#elif defined(__APPLE__)
    if (const auto home = environment("HOME")) return fs::path(*home) / "Library" / "Caches" / "parallax";
#else
    // The XDG specification: a relative path there is to be ignored.
    if (const auto cache = environment("XDG_CACHE_HOME"); cache && fs::path(*cache).is_absolute())
        return fs::path(*cache) / "parallax";
    if (const auto home = environment("HOME"); home && fs::path(*home).is_absolute()) return fs::path(*home) / ".cache" / "parallax";
#endif
    return {};
}

std::string unique_suffix() {
    static std::atomic<std::uint32_t> counter{0};
#if defined(_WIN32)
    const unsigned long process = GetCurrentProcessId();
#else
    const long process = getpid();
#endif
    // Two containers that share a folder may also share process numbers. Once: virtual machines take 50 microseconds to draw.
    static const std::uint32_t drawn = std::random_device{}();
    return fmt::format("{}-{}-{:08x}", process, counter++, drawn);
}

std::size_t unique_suffix_in(std::string_view text) noexcept {
    std::size_t at = 0;
    const auto take = [&](auto belongs) {
        const std::size_t from = at;
        while (at < text.size() && belongs(static_cast<unsigned char>(text[at]))) ++at;
        return at - from;
    };
    const auto dash = [&] { return at < text.size() && text[at] == '-' && ++at; };
    const auto digit = [](char c) { return is_digit(c); };
    const auto hexadecimal = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); };
    return take(digit) > 0 && dash() && take(digit) > 0 && dash() && take(hexadecimal) == 8 ? at : 0;
}

bool sync(std::FILE* file) noexcept {
    if (std::fflush(file) != 0) return false;
#if defined(_WIN32)
    return _commit(_fileno(file)) == 0;
#else
    return fsync(fileno(file)) == 0;
#endif
}

namespace {

/// With these rights from its first moment, less those of others that the umask takes. True where it is new.
bool create_with(unsigned rights, const fs::path& folder, std::error_code& problem) {
#if defined(_WIN32)
    static_cast<void>(rights);
    return fs::create_directory(folder, problem);
#else
    problem.clear();
    if (mkdir(folder.c_str(), static_cast<mode_t>(rights)) == 0) {
        std::error_code ignored;   // who cannot use it will be told so
        fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
        return true;
    }
    const std::error_code why(errno, std::generic_category());
    if (!fs::is_directory(folder, problem)) problem = why;
    return false;
#endif
}

/// What lies in it is exchanged by nobody else.
void create_above(const fs::path& folder, std::error_code& problem) {
    const fs::path above = folder.parent_path();
    if (std::error_code unknown; above != folder && !above.empty() && !fs::exists(above, unknown)) create_above(above, problem);
    if (!problem) create_with(0755, folder, problem);
}

}  // namespace

bool create_private_folder(const fs::path& folder, std::error_code& problem) { return create_with(0700, folder, problem); }

bool create_private_folders(const fs::path& folder, std::error_code& problem) {
    problem.clear();
    const fs::path above = folder.parent_path();
    const bool has_more = above != folder && !above.empty();
    if (has_more && !folder.has_filename()) return create_private_folders(above, problem);   // "folder/"
    if (std::error_code unknown; has_more && !fs::exists(above, unknown)) create_above(above, problem);
    return !problem && create_private_folder(folder, problem);
}

bool make_private(const fs::path& folder) noexcept {
    std::error_code problem;
    fs::permissions(folder, fs::perms::owner_all, problem);
    return !problem;
}

std::string processor_name() {
#if defined(_WIN32)
    if (const auto name = environment("PROCESSOR_IDENTIFIER")) return *name;
#elif defined(__APPLE__)
    char name[256] = {};
    std::size_t size = sizeof name - 1;
    if (sysctlbyname("machdep.cpu.brand_string", name, &size, nullptr, 0) == 0) return trim(name);
#else
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(':'); colon != std::string::npos) return trim(line.substr(colon + 1));
#endif
    return "processor";
}

std::string system_version() {
#if defined(_WIN32)
    return "Windows";
#else
    utsname names{};
    if (uname(&names) != 0) return "unknown";
    return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
#endif
}

std::vector<std::string> private_names() {
    std::vector<std::string> names;
    for (const char* variable : {"USER", "LOGNAME", "USERNAME", "COMPUTERNAME", "HOSTNAME", "HOME", "USERPROFILE"}) {
        if (const auto value = environment(variable)) names.push_back(*value);
    }
#if !defined(_WIN32)
    char host[256] = {};
    if (gethostname(host, sizeof host - 1) == 0 && host[0] != '\0') {
        names.emplace_back(host);
        names.push_back(names.back().substr(0, names.back().find('.')));
    }
#endif
    return names;
}

std::uint64_t physical_memory() {
#if defined(_WIN32)
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
#else
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0;
#endif
}

namespace {

/// 0 where the system does not say. std::thread::hardware_concurrency counts the machine's, bound to or not.
int bound_to() {
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);   // fails beyond 1,024 processors
#endif
    return 0;
}

/// "QUOTA PERIOD" in microseconds, or "max PERIOD"; 0 where there is none.
int quota() {
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    double time = 0, period = 0;
    if (!(file >> time >> period) || period <= 0) return 0;
    return std::max(1, static_cast<int>(std::ceil(time / period)));
}

}  // namespace

int processors() {
    int count = bound_to();
    if (count == 0) count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    static const int allowed = quota();   // a file to read, for the life of the process
    return allowed > 0 ? std::min(count, allowed) : count;
}

#if !defined(_WIN32)
namespace {

/// The file that the kernel mapped to `address`: absolute and without links, whatever was typed and wherever the process has gone
/// since.
fs::path mapped_file([[maybe_unused]] std::uintptr_t address) {
#if defined(__linux__)
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {   // "55d0-55e0 r-xp 00000000 fd:00 1234    /a path/with spaces"
        std::uintptr_t begin = 0, end = 0;
        int name = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end, &name) < 2) continue;
        if (begin <= address && address < end) return line.substr(static_cast<std::size_t>(name));
    }
#endif
    return {};
}

/// What the loader calls the file of `address`. Of the program itself it knows argv[0] alone, which is no path where PATH was
/// searched.
fs::path loaded_file(const void* address) {
    Dl_info found{};
    if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return {};
#if defined(__linux__)
    Dl_info program{};
    const auto executed = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    const bool ours =
        dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &program) != 0 && program.dli_fbase == found.dli_fbase;
    if (ours && executed != nullptr) return executed;
#endif
    return found.dli_fname;
}

}  // namespace
#endif

fs::path own_folder() {
#if defined(_WIN32)
    HMODULE module = nullptr;
    constexpr DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    if (!GetModuleHandleExW(flags, reinterpret_cast<LPCWSTR>(&own_folder), &module)) return {};
    std::wstring path(32768, L'\0');
    path.resize(GetModuleFileNameW(module, path.data(), static_cast<DWORD>(path.size())));
    return fs::path(path).parent_path();
#else
    const auto here = reinterpret_cast<const void*>(&own_folder);
    std::error_code error;
    const fs::path mapped = mapped_file(reinterpret_cast<std::uintptr_t>(here));
    if (mapped.is_absolute() && fs::is_directory(mapped.parent_path(), error)) return mapped.parent_path();
    const fs::path loaded = fs::canonical(loaded_file(here), error);   // where /proc is not mounted
    return error ? fs::path() : loaded.parent_path();
#endif
}

bool library_is_loaded(const std::string& library) {
#if defined(_WIN32)
    return GetModuleHandleA(library.c_str()) != nullptr;
#else
    void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle == nullptr) return false;
    dlclose(handle);   // gives back the reference that was just taken
    return true;
#endif
}

std::string library_problem(const std::string& library) {
#if defined(_WIN32)
    if (LoadLibraryA(library.c_str()) == nullptr) return fmt::format("{}: cannot be loaded (error {})", library, GetLastError());
#else
    if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr) {
        const char* reason = dlerror();
        return reason != nullptr ? reason : library + ": cannot be loaded";
    }
#endif
    return {};
}

SharedLibrary SharedLibrary::open(const std::string& name, std::string& problem) {
    SharedLibrary library;
#if defined(_WIN32)
    library.handle_ = reinterpret_cast<void*>(LoadLibraryA(name.c_str()));
    if (library.handle_ == nullptr) problem = fmt::format("{}: cannot be loaded (error {})", name, GetLastError());
#else
    library.handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ == nullptr) {
        const char* reason = dlerror();
        problem = reason != nullptr ? reason : name + ": cannot be loaded";
    }
#endif
    return library;
}

void* SharedLibrary::symbol(const char* name) const noexcept {
    if (handle_ == nullptr) return nullptr;
#if defined(_WIN32)
    return reinterpret_cast<void*>(GetProcAddress(reinterpret_cast<HMODULE>(handle_), name));
#else
    return dlsym(handle_, name);
#endif
}

void* function_of_process(const char* name) noexcept {
#if defined(_WIN32)
    return reinterpret_cast<void*>(GetProcAddress(GetModuleHandleW(nullptr), name));
#else
    return dlsym(RTLD_DEFAULT, name);
#endif
}

void show_to_all([[maybe_unused]] const char* library) noexcept {
#if !defined(_WIN32)
    dlopen(library, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
#endif
}

fs::path opencl_vendor_folder() {
#if defined(_WIN32) || defined(__APPLE__)
    return {};
#else
    return "/etc/OpenCL/vendors";
#endif
}

bool has_nvidia_device() {
    std::error_code problem;
    return fs::exists("/dev/nvidiactl", problem) || fs::exists("/dev/nvidia0", problem);
}

std::string nvidia_driver_version() {
    std::ifstream file("/sys/module/nvidia/version");   // no such file on Windows, macOS and without the module
    std::string version;
    std::getline(file, version);
    return trim(version);
}

}  // namespace parallax::host::platform
