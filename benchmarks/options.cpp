#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <random>

#include "parallax/host/enumerate.hpp"
#include "parallax/host/error.hpp"

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

std::vector<Size> draw_sizes(std::uint32_t seed, int count) {
    static constexpr std::array<Size, 26> cameras = {{
        {640, 480},   {720, 540},   {1280, 960},  {1280, 1024}, {1440, 1080}, {1600, 1200}, {1624, 1240},
        {1920, 1080}, {1920, 1200}, {1936, 1216}, {2048, 1536}, {2048, 2048}, {2056, 1542}, {2064, 1544},
        {2448, 2048}, {2464, 2056}, {2592, 1944}, {2736, 1824}, {3072, 2048}, {3072, 2304}, {3088, 2076},
        {3264, 2448}, {4024, 3036}, {4096, 3000}, {4112, 3008}, {5472, 3648},
    }};
    std::mt19937 random(seed);   // its numbers are the standard's; distributions are not
    const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
    std::vector<Size> sizes;
    for (int i = 0; i < count; ++i) {
        const auto round_number = [&] {   // 2^k times 1, 3, 5 or 7
            for (;;) {
                const std::int64_t side = (std::int64_t{1} << (5 + below(9))) * (1 + 2 * below(4));
                if (side >= 256 && side <= 8192) return side;
            }
        };
        const auto anything = [&] { return 256 + below(8192 - 256 + 1); };
        if (i % 3 == 0)
            sizes.push_back({round_number(), round_number()});
        else if (i % 3 == 1)
            sizes.push_back(cameras[static_cast<std::size_t>(below(cameras.size()))]);
        else
            sizes.push_back({anything(), anything()});
    }
    return sizes;
}

void Options::add_to(CLI::App& app) {
    app.add_option("--device", device, "cpu, gpu, an index, part of a name, or JSON rules");
    app.add_option("--sizes", sizes, "WIDTHxHEIGHT, several")->delimiter(',')->capture_default_str();
    app.add_option("--random", random, "a seed: sizes drawn at random, a third round, a third of cameras, a third anything");
    app.add_option("--count", count, "how many sizes --random draws")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--only", only, "only these rows, by name")->delimiter(',');
    app.add_option("--samples", samples, "timed runs of each row")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--warmups", warmups, "runs before them")->check(CLI::NonNegativeNumber)->capture_default_str();
    app.add_flag("--replay", replay,
                 "short launches start together, as in a host application's calls: one row for all of a call");
    app.add_option("--threads", threads, "of FFTW")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--json", json, "file for all numbers");
}

bool Options::wants(const std::string& name) const {
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
}

std::vector<Size> Options::chosen_sizes() const {
    if (random) {
        fmt::print("{} sizes drawn by --random {}\n", count, *random);
        return draw_sizes(*random, count);
    }
    std::vector<Size> all;
    for (const std::string& text : sizes) all.push_back(parse_size(text));
    return all;
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

}   // namespace parallax::bench
