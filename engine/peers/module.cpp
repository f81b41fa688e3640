#include "peers/module.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace parallax::engine::peers {
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
    const fs::path own = host::platform::own_folder();
    if (own.empty()) return {};
    return {own, own / "../bin", own / "parallax", own / PARALLAX_MODULES_FROM_PROGRAM};
}

}  // namespace

Module::Module(const std::string& name, int abi, const std::string& built_where) : file_(file_name(name)) {
    namespace platform = host::platform;
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
        const std::string why = first.empty() ? fmt::format("there is none in {}, and: {}", platform::own_folder().string(), problem) : first;
        throw UnsupportedError(fmt::format("the module {} {}", file_, first.empty() ? "is not there" : "cannot be opened"), {fmt::format("{}; it is built {}", why, built_where)});
    }
    int (*version)() = nullptr;
    find(version, fmt::format("plx_{}_abi", name).c_str());
    if (version() != abi) throw UnsupportedError(fmt::format("the module {} cannot be used", file_), {fmt::format("{} is of another version of Parallax", file_)});
}

void* Module::address(const char* symbol) const {
    void* const found = library_.symbol(symbol);
    if (found == nullptr)
        throw UnsupportedError(fmt::format("the module {} cannot be used", file_), {fmt::format("{} is of another version of Parallax: it has no {}", file_, symbol)});
    return found;
}

Variant peer_variant(std::string name, std::string summary, host::Backend backend, WhyNot why_not, std::function<void()> open, decltype(Variant::plan) plan) {
    Variant v;
    v.name = std::move(name);
    v.summary = std::move(summary);
    v.role = Role::peer;
    v.backends = {backend};
    v.supports = [why_not = std::move(why_not), open = std::move(open)](const Problem& problem, host::Context&) {
        if (std::string reason = why_not(problem); !reason.empty()) return Support::no(std::move(reason));
        try {
            open();
            return Support::yes();
        } catch (const UnsupportedError& error) {
            return Support::no(error.reasons.empty() ? error.what() : error.reasons.front());
        }
    };
    v.plan = std::move(plan);
    return v;
}

std::string only(const std::string& library, const ArrayDesc& array, const std::vector<ElementType>& types) {
    if (std::find(types.begin(), types.end(), array.type) != types.end()) return {};
    return fmt::format("this module of {} has no instance for {}", library, to_string(array.type));
}

}  // namespace parallax::engine::peers
