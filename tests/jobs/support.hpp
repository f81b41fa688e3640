// Folders that go away, the real program, and errors as tables compare them.
#pragma once

#include "io/io.hpp"
#include "parallax/host/error.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parallax::tests {

namespace fs = std::filesystem;

class TempFolder {
public:
    TempFolder();
    ~TempFolder();
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    const fs::path& path() const noexcept { return path_; }
    fs::path operator/(const std::string& name) const { return path_ / name; }
    /// Every file and folder below, relative and sorted.
    std::vector<std::string> listing() const;

private:
    fs::path path_;
};

void write_text(const fs::path&, const std::string&);
std::string read_text(const fs::path&);
/// Values 0, 1, 2, ... as u8.
HostArray ramp(std::int64_t width, std::int64_t height);
HostArray floats(std::int64_t width, std::int64_t height, std::vector<float> values);

struct Run {
    int status = -1;
    std::string out, err;
};
/// Runs the program of PARALLAX_BIN in `folder` and waits. `environment`: "NAME=value". What it
/// prints is caught, or goes to `standard_output`. launcher: words before the program, such as "mpirun".
Run run_program(const std::vector<std::string>& arguments, const fs::path& folder,
                const std::vector<std::string>& environment = {}, const fs::path& standard_output = {},
                const std::vector<std::string>& launcher = {});

/// A folder of the repository such as "configs": PARALLAX_SOURCE or a parent of the working directory holds it.
std::optional<fs::path> repository(const std::string& folder);
/// Real data, empty if it is not there (PARALLAX_TEST_DATA, else ../shared/data).
fs::path test_data();

/// Runs `work`, which must throw an E, and returns it.
template <class E, class Work>
E error_of(Work&& work) {
    try {
        work();
    } catch (const E& error) {
        return error;
    }
    FAIL("nothing was thrown");
    throw std::logic_error("unreachable");
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace parallax::tests
