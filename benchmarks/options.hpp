// What every benchmark can be asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parallax/host/context.hpp"
#include "parallax/host/json.hpp"

namespace parallax::bench {

struct Size {
    std::int64_t width, height;
};

/// "3072x2304". Throws CLI::ValidationError.
Size parse_size(const std::string&);
std::string to_string(Size);
/// Sizes of frames from 256 to 8192 a side: a third powers of two and small multiples of them, a third of cameras, a third
/// anything.
std::vector<Size> draw_sizes(std::uint32_t seed, int count);

struct Options {
    std::string device;   ///< as the CLI's --device; empty: the best there is
    std::vector<std::string> sizes{"512x384", "1024x768", "1536x1152", "2048x1536", "2560x1920", "3072x2304", "3264x2448"};
    std::optional<std::uint32_t> random;   ///< seed: sizes drawn at random instead of `sizes`
    int count = 60;                        ///< of them
    std::vector<std::string> only;         ///< libraries or variants; empty: all
    int samples = 30, warmups = 5;
    bool replay = false;   ///< calls as a host application's: short launches that come again are started together
    int threads = 2;       ///< of FFTW
    std::string json;

    void add_to(CLI::App&);
    bool wants(const std::string& name) const;
    /// Those that were asked for, or drawn; prints the seed.
    std::vector<Size> chosen_sizes() const;
};

/// The device that was asked for; prints what it is. Throws UnsupportedError with every reason.
std::shared_ptr<const host::Device> select_device(const Options&);
/// Device, driver and engine version, for the JSON.
Json describe_device(const host::DeviceInfo&);
/// Reads the command line, then runs; the exit status. Errors go to stderr.
int run_main(CLI::App&, int argc, char** argv, const std::function<int()>& run);
/// Nothing if `path` is empty.
void write_json(const std::string& path, const Json&);

}   // namespace parallax::bench
