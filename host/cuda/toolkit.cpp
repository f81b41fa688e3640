#include "cuda/toolkit.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

namespace parallax::host::cuda {
namespace {
namespace fs = std::filesystem;

std::vector<fs::path> toolkit_folders() {
    std::vector<fs::path> folders;
#if defined(_WIN32)
    if (const auto root = platform::environment("CUDA_PATH"))
        for (const char* bin : {"bin/x64", "bin"}) folders.push_back(fs::path(*root) / bin);
#else
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
        if (const auto root = platform::environment(variable))
            for (const char* lib : {"lib64", "lib"}) folders.push_back(fs::path(*root) / lib);
    folders.emplace_back("/usr/local/cuda/lib64");
#endif
    return folders;
}

}  // namespace

std::string toolkit_library_name(const std::string& library, int major) {
#if defined(_WIN32)
    return fmt::format("{}64_{}.dll", library, major);
#else
    return fmt::format("lib{}.so.{}", library, major);
#endif
}

platform::SharedLibrary open_toolkit_library(const std::string& file, std::string& problem) {
    if (const auto library = platform::SharedLibrary::open(file, problem)) return library;
    for (const fs::path& folder : toolkit_folders()) {
        std::error_code missing;
        if (!fs::exists(folder / file, missing)) continue;
        if (const auto library = platform::SharedLibrary::open((folder / file).string(), problem)) return library;
    }
    return {};
}

}  // namespace parallax::host::cuda
