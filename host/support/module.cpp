#include "support/module.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace parallax::host {
namespace fs = std::filesystem;
namespace {

std::string file_name(const std::string& name) {
#if defined(_WIN32)
    return fmt::format("parallax_peer_{}.dll", name);
#else
    return fmt::format("libparallax_peer_{}.so", name);
#endif
}

/// A build has its library in lib and its modules in bin; an installation, program and library apart, has them below its library.
std::vector<fs::path> folders() {
    const fs::path own = platform::own_folder();
    if (own.empty()) return {};
    return {own, own / "../bin", own / "parallax", own / PARALLAX_MODULES_FROM_PROGRAM};
}

}  // namespace

Module::Module(const std::string& name, int abi, const std::string& built_where) : file_(file_name(name)) {
    std::string first, problem;
    for (const fs::path& folder : folders()) {
        const fs::path file = (folder / file_).lexically_normal();
        std::error_code ignored;
        if (library_ || !fs::exists(file, ignored)) continue;
        library_ = platform::SharedLibrary::open(file.string(), problem);
        if (!library_ && first.empty()) first = problem;
    }
    if (!library_) library_ = platform::SharedLibrary::open(file_, problem);
    if (!library_) {
        const std::string why =
            first.empty() ? fmt::format("there is none in {}, and: {}", platform::own_folder().string(), problem) : first;
        throw UnsupportedError(fmt::format("the module {} {}", file_, first.empty() ? "is not there" : "cannot be opened"),
                               {fmt::format("{}; it is built {}", why, built_where)});
    }
    int (*version)() = nullptr;
    find(version, fmt::format("plx_{}_abi", name).c_str());
    if (version() != abi)
        throw UnsupportedError(fmt::format("the module {} cannot be used", file_),
                               {fmt::format("{} is of another version of Parallax", file_)});
}

void* Module::address(const char* symbol) const {
    void* const found = library_.symbol(symbol);
    if (found == nullptr)
        throw UnsupportedError(fmt::format("the module {} cannot be used", file_),
                               {fmt::format("{} is of another version of Parallax: it has no {}", file_, symbol)});
    return found;
}

}  // namespace parallax::host
