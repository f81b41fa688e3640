#include "options.hpp"

#include "parallax/host/error.hpp"
#include "parallax/host/enumerate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

namespace parallax::bench {

Size parse_size(const std::string& text) {
    Size size{};
    const char* const end = text.data() + text.size();
    const auto [cross, bad_width] = std::from_chars(text.data(), end, size.width);
    if (bad_width == std::errc{} && cross != end && *cross == 'x') {
        const auto [rest, bad_height] = std::from_chars(cross + 1, end, size.height);
        if (bad_height == std::errc{} && rest == end && size.width > 0 && size.height > 0) return size;
    }
    throw CLI::ValidationError("--sizes", fmt::format("found \"{}\", expected WIDTHxHEIGHT, such as 3072x2304", text));
}

std::string to_string(Size size) { return fmt::format("{}x{}", size.width, size.height); }

void Options::add_to(CLI::App& app) {
    app.add_option("--device", device, "cpu, gpu, an index, part of a name, or JSON rules");
    app.add_option("--sizes", sizes, "WIDTHxHEIGHT, several")->delimiter(',')->capture_default_str();
    app.add_option("--only", only, "only these rows, by name")->delimiter(',');
    app.add_option("--samples", samples, "timed runs of each row")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--warmups", warmups, "runs before them")->check(CLI::NonNegativeNumber)->capture_default_str();
    app.add_option("--threads", threads, "of FFTW")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--json", json, "file for all numbers");
}

bool Options::wants(const std::string& name) const {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
}

std::shared_ptr<const host::Device> select_device(const Options& options) {
    const auto selector = options.device.empty() ? host::DeviceSelector() : host::DeviceSelector::parse_spec(options.device);
    const auto device = selector.select(host::enumerate(selector)).device;
    fmt::print("{} ({}, driver {})\n", device->info().name, device->info().platform, device->info().driver);
    return device;
}

Json describe_device(const host::DeviceInfo& info) {
    return Json{{"name", info.name},
                {"platform", info.platform},
                {"version", info.version},
                {"driver", info.driver},
                {"engine", PARALLAX_VERSION}};
}

int run_main(CLI::App& app, int argc, char** argv, const std::function<int()>& run) {
    try {
        app.parse(argc, argv);
        return run();
    } catch (const CLI::Error& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}

void write_json(const std::string& path, const Json& json) {
    if (path.empty()) return;
    std::ofstream file(path);
    file << json.dump(2) << '\n';
    file.close();
    if (!file) throw IoError(path, "could not be written");
}

}  // namespace parallax::bench
