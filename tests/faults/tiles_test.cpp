// Jobs that need more memory than they may have: cut into tiles or slabs they give the same bytes as a whole, `plan` says so
// beforehand, and what cannot be cut is refused with the numbers.
#include "devices.hpp"
#include "jobs.hpp"
#include "peers/peers.hpp"

#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::tests::faults;

namespace {

struct Case {
    const char* name;
    ElementType type;
    const char* axes;      ///< of the input "image"
    double share;          ///< of its bytes in the limit
    const char* steps;
    const char* outputs;
};

const std::vector<Case>& cases() {
    static const std::vector<Case> list{
        {"arithmetic", ElementType::u16, "yx", .6, R"([{"run": "arithmetic", "op": "add", "in": {"other": "image"}, "out": {"image": "sum"}}])", R"({"sum": "sum.npy"})"},
        {"mask", ElementType::u8, "yx", .6, R"([{"run": "mask", "value": 7, "in": {"mask": "image"}, "out": {"image": "masked"}}])", R"({"masked": "masked.npy"})"},
        {"threshold", ElementType::u8, "yx", .6, R"([{"run": "threshold", "method": "value", "value": 99}])", R"({"mask": "mask.npy", "threshold": "level.json"})"},
        {"convert", ElementType::u8, "yx", .4, R"([{"run": "convert", "type": "u16", "window": {"low": 3, "high": 200}, "out": {"image": "wide"}}])", R"({"wide": "wide.npy"})"},
        {"crop", ElementType::u8, "yx", 1.2, R"([{"run": "crop", "x": [3, 200], "out": {"image": "part"}}])", R"({"part": "part.npy"})"},
        {"crop of rows", ElementType::u8, "tyx", 1.2, R"([{"run": "crop", "y": [1, 9], "out": {"image": "part"}}])", R"({"part": "part.npy"})"},
        {"select", ElementType::u8, "tyx", 1.2, R"([{"run": "select", "axis": "t", "index": 3, "out": {"image": "frame"}}])", R"({"frame": "frame.npy"})"},
        {"box_filter of integers", ElementType::u8, "yx", .7, R"([{"run": "box_filter", "radius": 7, "out": {"image": "blurred"}}])", R"({"blurred": "blurred.npy"})"},
        {"box_filter of floats", ElementType::f32, "yx", .7, R"([{"run": "box_filter", "radius": [2, 5], "border": "reflect", "out": {"image": "blurred"}}])", R"({"blurred": "blurred.npy"})"},
        {"box_filter of frames", ElementType::f32, "tyx", .7, R"([{"run": "box_filter", "size": 4, "border": "constant", "value": 2, "out": {"image": "blurred"}}])", R"({"blurred": "blurred.npy"})"},
        {"box_filter of a volume", ElementType::u16, "zyx", .7, R"([{"run": "box_filter", "radius": 1, "out": {"image": "blurred"}}])", R"({"blurred": "blurred.npy"})"},
        {"sum", ElementType::u16, "yx", 1.31, R"([{"run": "reduce", "in": {"array": "image"}}])", R"({"value": "sum.json"})"},
        {"maximum", ElementType::f32, "yx", 1.3, R"([{"run": "reduce", "op": "max", "in": {"array": "image"}}])", R"({"value": "max.json"})"},
        {"histogram", ElementType::u8, "yx", 1.33, R"([{"run": "histogram"}])", R"({"histogram": "histogram.npy"})"},
        {"diffusion_lb", ElementType::u8, "yx", .2, R"([{"run": "diffusion_lb", "iterations": 2, "sigma": 0.5, "out": {"image": "smooth"}}])", R"({"smooth": "smooth.npy"})"},
        {"diffusion_aos", ElementType::u8, "tyx", .2, R"([{"run": "diffusion_aos", "iterations": 1, "out": {"image": "smooth"}}])", R"({"smooth": "smooth.npy"})"},
        {"fft", ElementType::f32, "tyx", .5, R"([{"run": "fft", "kind": "r2c", "in": {"array": "image"}, "out": {"array": "spectrum"}}])", R"({"spectrum": "spectrum.npy"})"},
        {"box_count in slabs", ElementType::u8, "zyx", .6, R"([{"run": "threshold", "method": "value", "value": 128}, {"run": "box_count", "in": {"volume": "mask", "image": null}}])", R"({"counts": "counts.json"})"},
        {"several steps", ElementType::u8, "yx", .3,
         R"([{"run": "convert", "type": "f32", "out": {"image": "real"}}, {"run": "box_filter", "radius": 3, "in": {"image": "real"}, "out": {"image": "background"}},
             {"run": "arithmetic", "op": "subtract", "in": {"image": "real", "other": "background"}, "out": {"image": "flat"}},
             {"run": "reduce", "op": "min", "in": {"array": "flat"}}])",
         R"({"flat": "flat.npy", "value": "lowest.json"})"},
    };
    return list;
}

HostArray image_of(const Case& c, std::uint64_t bytes) {
    // Rows of odd length, so that nothing is aligned by chance.
    const std::int64_t x = bytes > (std::uint64_t{16} << 20) ? 4099 : 259, frames = 12;
    const auto elements = static_cast<std::int64_t>(bytes / bytes_of(c.type));
    std::vector<ArrayDesc::Extent> extents;
    if (std::strlen(c.axes) == 3) extents = {{c.axes[0], frames}, {'y', elements / x / frames}, {'x', x}};
    else extents = {{'y', elements / x}, {'x', x}};
    HostArray image = HostArray::make(ArrayDesc::dense(c.type, extents));
    const std::int64_t count = image.desc.count();
    std::uint32_t state = 12345;
    for (std::int64_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        const std::uint32_t value = (state >> 16) * static_cast<std::uint32_t>((i / x / 40 + i % x / 40) % 2 + 1) / 2;   // squares of two brightnesses
        if (c.type == ElementType::u8) image.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(value >> 8);
        else if (c.type == ElementType::u16) image.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(value);
        else image.as<float>()[i] = static_cast<float>(value) / 300.0f - 50.0f;
    }
    return image;
}

class Folder {
public:
    void keep(const HostArray& image) { io::write(folder_ / "image.npy", image, {.overwrite = true}); }
    engine::Prepared prepare(const Json& steps, const Json& outputs, const char* axes, const std::string& out, std::uint64_t limit) const {
        Json job{{"parallax", 1}, {"inputs", {{"image", {{"file", "image.npy"}}}}}, {"steps", steps}, {"outputs", outputs}};
        if (std::strlen(axes) == 3) job["inputs"]["image"]["page_axis"] = std::string(1, axes[0]);
        if (limit > 0) job["memory_limit"] = limit;
        write_text(folder_ / "job.json", job.dump());
        engine::Locations where;
        where.job_folder = folder_.path();
        where.out = folder_ / out;
        return engine::prepare(engine::parse_job(job, registry_.algorithms()), where, true);
    }
    std::map<std::string, std::string> outputs(const std::string& out) const {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::directory_iterator(folder_ / out)) files[entry.path().filename().string()] = read_text(entry.path());
        fs::remove_all(folder_ / out);
        return files;
    }
    const TempFolder& folder() const { return folder_; }

private:
    TempFolder folder_;
    engine::Registry registry_ = engine::registry_with_peers();
};

/// MiB: a small limit on each device, and 64 on the first; PARALLAX_TILE_LIMITS has others.
std::vector<std::uint64_t> limits() {
    const char* const words = std::getenv("PARALLAX_TILE_LIMITS");
    std::istringstream list(words != nullptr ? words : "4,64");
    std::vector<std::uint64_t> found;
    for (std::string word; std::getline(list, word, ',');) found.push_back(std::stoull(word) << 20);
    return found;
}

bool is_slow(const host::DeviceInfo& device) { return device.platform == "rusticl" || device.platform == "Oclgrind"; }

}  // namespace

TEST_CASE("tiles: a job with too little memory gives the same bytes, and plan knows how") {
    for (const std::uint64_t limit : limits()) {
        bool first = true;
        for (const DevicePtr& device : kernel_devices_under_test()) {
            const bool large = limit >= (std::uint64_t{64} << 20);
            if (large && (!first || is_slow(device->info()))) continue;
            first = false;
            engine::Engine engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()});
            Folder folder;
            for (const Case& c : cases()) {
                const std::string name = c.name;
                if (is_slow(device->info()) && (name.starts_with("diffusion") || name == "fft" || name == "box_filter of frames")) continue;   // minutes of compiling
                CAPTURE(device_label(*device));
                CAPTURE(limit);
                CAPTURE(name);
                folder.keep(image_of(c, static_cast<std::uint64_t>(c.share * static_cast<double>(limit))));
                const Json steps = Json::parse(c.steps), outputs = Json::parse(c.outputs);
                const engine::JobResult whole = engine::run(folder.prepare(steps, outputs, c.axes, "whole", 0), engine);
                CHECK(whole.peak_device_bytes > limit);
                const auto expected = folder.outputs("whole");

                const engine::Prepared prepared = folder.prepare(steps, outputs, c.axes, "tiled", limit);
                const Json plan = engine::describe_plan(prepared, engine);
                const engine::JobResult tiled = engine::run(prepared, engine);
                CHECK(folder.outputs("tiled") == expected);
                CHECK(tiled.peak_device_bytes <= limit);
                CHECK(plan["spills"] == true);
                CHECK(plan["upper_bound_bytes"].get<std::uint64_t>() <= limit);
                CHECK(plan["upper_bound_bytes"].get<std::uint64_t>() >= tiled.peak_device_bytes);
                bool cut = false;
                for (std::size_t i = 0; i < tiled.steps.size(); ++i) {
                    const Json& step = plan["steps"][i];
                    CHECK(tiled.steps[i].tiles == (step["tiles"].is_null() ? 1 : step["tiles"]["count"].get<std::int64_t>()));
                    CHECK(tiled.steps[i].variant == whole.steps[i].variant);
                    cut = cut || tiled.steps[i].tiles > 1 || step["slab"] > 0;
                }
                CHECK(cut);
                CHECK(engine.context().allocated() == 0);
            }
        }
    }
}

TEST_CASE("tiles: what cannot be cut is refused with the numbers and with what to try") {
    struct Row { const char* axes; ElementType type; const char* steps; const char* outputs; const char* reason; };
    const Row rows[] = {
        {"yx", ElementType::u8, R"([{"run": "equalize", "out": {"image": "even"}}])", R"({"even": "even.npy"})", "histogram of all pixels"},
        {"yx", ElementType::u8, R"([{"run": "threshold"}])", R"({"mask": "mask.npy"})", "Otsu"},
        {"yx", ElementType::u8, R"([{"run": "convert", "type": "u8", "percentiles": {}, "out": {"image": "even"}}])", R"({"even": "even.npy"})", "percentiles"},
        {"yx", ElementType::f32, R"([{"run": "reduce", "in": {"array": "image"}}])", R"({"value": "v.json"})", "last digits"},
        {"yx", ElementType::u8, R"([{"run": "hologram", "in": {"hologram": "image"}, "wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000}])", R"({"amplitude": "a.npy"})", "whole hologram"},
        {"yx", ElementType::f32, R"([{"run": "box_filter", "radius": 900, "out": {"image": "even"}}])", R"({"even": "even.npy"})", "more on both sides"},
        {"yx", ElementType::u8, R"([{"run": "diffusion_lb", "iterations": 900, "out": {"image": "even"}}])", R"({"even": "even.npy"})", "more on both sides"},
        {"yx", ElementType::u8, R"([{"run": "diffusion_aos", "out": {"image": "even"}}])", R"({"even": "even.npy"})", "from end to end"},
    };
    Folder folder;
    engine::Engine engine(*devices_under_test().front(), engine::registry_with_peers(), {host::ProgramCache::open()});
    for (const Row& row : rows) {
        CAPTURE(std::string(row.steps));
        folder.keep(image_of({"", row.type, row.axes, 1, "", ""}, 900000));
        const engine::Prepared prepared = folder.prepare(Json::parse(row.steps), Json::parse(row.outputs), row.axes, "out", 600000);
        for (const bool plan : {true, false}) {
            const auto error = error_of<UnsupportedError>([&] { plan ? static_cast<void>(engine::describe_plan(prepared, engine)) : static_cast<void>(engine::run(prepared, engine)); });
            const std::string text = error.what();
            CAPTURE(text);
            for (const char* word : {"needs", "memory_limit is 600000 bytes", "try ", row.reason}) CHECK(contains(text, word));
        }
        CHECK_FALSE(fs::exists(folder.folder() / "out"));
        CHECK(engine.context().allocated() == 0);
    }
}

TEST_CASE("tiles: the limits of a device, and what plan prints") {
    // Of PoCL, the one that takes such orders: one GiB, and allocations of a quarter of it.
    const auto devices = kernel_devices_under_test();
    if (is_slow(devices.front()->info()) || devices.front()->info().backend != host::Backend::opencl) return;
    Folder folder;
    const bool all = std::getenv("PARALLAX_TILE_LIMITS") != nullptr;
    const Case c{"", ElementType::u8, "yx", 1, R"([{"run": "box_filter", "radius": 2, "out": {"image": "blurred"}}])", R"({"blurred": "blurred.npy"})"};
    folder.keep(image_of(c, all ? std::uint64_t{300} << 20 : std::uint64_t{3} << 20));
    folder.prepare(Json::parse(c.steps), Json::parse(c.outputs), c.axes, "out", 0);
    const std::vector<std::string> memory = {"POCL_MEMORY_LIMIT=1"};
    const std::vector<std::string> limit = all ? std::vector<std::string>{} : std::vector<std::string>{"--set", "memory_limit=4000000"};
    const auto run = [&](std::vector<std::string> words, bool limited) {
        if (limited) words.insert(words.end(), limit.begin(), limit.end());
        const Run done = run_program(words, folder.folder().path(), limited && all ? memory : std::vector<std::string>{});
        CAPTURE(done.err);
        REQUIRE(done.status == 0);
        return done.out;
    };
    run({"run", "job.json", "--out", "whole"}, false);
    const auto expected = folder.outputs("whole");
    CHECK(contains(run({"plan", "job.json"}, true), " tiles of "));
    run({"run", "job.json", "--out", "tiled"}, true);
    CHECK(folder.outputs("tiled") == expected);
}
