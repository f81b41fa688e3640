// Temporary folders, environment variables and kernel files for the tests of the host runtime.
#pragma once

#include "support/platform.hpp"
#include "program/embedded.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>

namespace parallax::tests {
namespace fs = std::filesystem;

/// A new empty folder that goes with the object.
class TemporaryFolder {
public:
    TemporaryFolder() : path_(fs::temp_directory_path() / ("parallax-test-" + host::platform::unique_suffix())) {
        fs::create_directories(path_);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const noexcept { return path_; }

private:
    fs::path path_;
};

/// Sets (or, without a value, removes) a variable and puts back what was there.
class ScopedVariable {
public:
    ScopedVariable(std::string name, const std::optional<std::string>& value) : name_(std::move(name)) {
        if (const char* before = std::getenv(name_.c_str())) before_ = before;
        set(value);
    }
    ~ScopedVariable() { set(before_); }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

private:
    void set(const std::optional<std::string>& value) const {
#if defined(_WIN32)
        _putenv_s(name_.c_str(), value.value_or("").c_str());
#else
        if (value) setenv(name_.c_str(), value->c_str(), 1);
        else unsetenv(name_.c_str());
#endif
    }
    std::string name_;
    std::optional<std::string> before_;
};

inline void write_text(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

/// A kernel folder with the library's prelude and the test's own files, in force as long as the object lives.
class KernelFolder {
public:
    explicit KernelFolder(const std::map<std::string, std::string>& files)
        : variable_("PARALLAX_KERNEL_DIR", folder_.path().string()) {
        for (const host::EmbeddedFile& file : host::embedded_files())
            if (file.name.starts_with("prelude/") || file.name.starts_with("probe/"))
                write_text(folder_.path() / file.name, std::string(file.text));
        for (const auto& [name, text] : files) write_text(folder_.path() / name, text);
    }
    const fs::path& path() const noexcept { return folder_.path(); }

private:
    TemporaryFolder folder_;
    ScopedVariable variable_;
};

}  // namespace parallax::tests
