#include "opencl/loader.hpp"

#include "opencl/pocl_cache.hpp"
#include "opencl/trial.hpp"
#include "support/platform.hpp"
#include "support/temporary_folder.hpp"
#include "support/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>

namespace parallax::host::opencl {
namespace {
namespace fs = std::filesystem;

std::atomic<bool> ended{false};

void set_variable(const char* name, const std::optional<std::string>& value) {
#if defined(_WIN32)
    _putenv_s(name, value.value_or("").c_str());
#else
    if (value) setenv(name, value->c_str(), 1);
    else unsetenv(name);
#endif
}

class ScopedVariable {
public:
    ScopedVariable(const char* name, const std::optional<std::string>& value) : name_(name) {
        if (const char* const before = std::getenv(name)) before_ = before;
        set_variable(name, value);
    }
    ~ScopedVariable() { set_variable(name_, before_); }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

/// A folder of .icd files that name the drivers of files, in place of the one that names the others, too.
class Vendors {
public:
    explicit Vendors(const std::vector<Registration>& sound) {
        for (std::size_t i = 0; i < sound.size(); ++i) {
            if (sound[i].source == "OCL_ICD_FILENAMES") continue;
            std::ofstream file(folder_.path() / fmt::format("{:03}-{}.icd", i, fs::path(sound[i].source).stem().string()));
            if (!(file << sound[i].library << '\n').flush())
                throw fs::filesystem_error("cannot be written", folder_.path(), std::make_error_code(std::errc::io_error));
        }
    }
    std::string folder() const { return folder_.path().string(); }

private:
    TemporaryFolder folder_{"drivers"};
};

void start_loader() {
    cl_uint count = 0;
    clGetPlatformIDs(0, nullptr, &count);   // what it answers is asked again
}

void load_only(const std::vector<Registration>& sound) {
    std::vector<std::string> named;
    for (const Registration& entry : sound)
        if (entry.source == "OCL_ICD_FILENAMES") named.push_back(entry.library);
    const ScopedVariable files("OCL_ICD_FILENAMES",
                               named.empty() ? std::nullopt : std::optional(fmt::format("{}", fmt::join(named, ":"))));
    try {
        const Vendors vendors(sound);
        const ScopedVariable place("OCL_ICD_VENDORS", vendors.folder());
        start_loader();
    } catch (const fs::filesystem_error&) {   // no place for temporary files: one driver can be named without
        const auto of_file = std::find_if(sound.begin(), sound.end(),
                                          [](const Registration& entry) { return entry.source != "OCL_ICD_FILENAMES"; });
        const ScopedVariable place("OCL_ICD_VENDORS", of_file != sound.end() ? of_file->library : "/no-such-driver.icd");
        start_loader();
    }
}

std::vector<LeftOut> load() {
    const std::vector<Registration> all = registrations();
    place_pocl_cache(all);
    std::vector<LeftOut> left_out = try_drivers(all);
    if (left_out.empty()) return left_out;   // the loader does as it always does
    std::vector<Registration> sound;
    for (const Registration& entry : all) {
        const bool bad = std::any_of(left_out.begin(), left_out.end(),
                                     [&](const LeftOut& driver) { return driver.registration.library == entry.library; });
        if (!bad && !entry.library.empty()) sound.push_back(entry);
    }
    load_only(sound);
    for (const LeftOut& driver : left_out)
        warn_once(fmt::format("{}: {}. {}", driver.registration.source, driver.reason, driver.hint));
    return left_out;
}

}  // namespace

const std::vector<LeftOut>& load_drivers() {
    static std::mutex mutex;
    static const std::vector<LeftOut>* loaded = nullptr;   // to the end: objects of the host's may ask after main()
    const std::lock_guard lock(mutex);
    if (loaded == nullptr) {
        loaded = new std::vector<LeftOut>(load());
        std::atexit([] { ended = true; });
    }
    return *loaded;
}

bool drivers_have_ended() noexcept { return ended; }

}  // namespace parallax::host::opencl
