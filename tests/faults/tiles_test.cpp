// Jobs that need more memory than they may have: cut into tiles or slabs they give the same bytes as a whole, `plan` says so
// beforehand, and what cannot be cut is refused with the numbers.
#include "devices.hpp"
#include "jobs.hpp"
#include "peers/peers.hpp"
#include "problems/problems.hpp"
#include "registry/registry.hpp"
#include "seed.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::tests::faults;

namespace {

struct Case {
    std::string name;
    ElementType type;
    std::string axes;      ///< of the input "image"
    double share;          ///< of its bytes in the limit
    Json steps, outputs;
    std::string refused;   ///< words of the reason why it cannot be cut; empty: it can
};

/// The rows "tiles" of an algorithm (engine/algorithms/<name>/problems.json): one step whose inputs are "image".
Case case_of(const engine::Algorithm& algorithm, const Json& row) {
    Case c{algorithm.name + " " + row.value("name", ""),
           *element_type_from(row.at("type").get<std::string>()),
           row.at("axes"),
           row.value("share", 1.5),
           Json::array(),
           Json::object(),
           row.value("refused", "")};
    Json step = row.value("parameters", Json::object());
    step["run"] = algorithm.name;
    for (const engine::Port& port : algorithm.inputs)
        if (port.required || row.value("inputs", Json::array()) == Json::array({port.name})) step["in"][port.name] = "image";
        else step["in"][port.name] = nullptr;
    for (const engine::Port& port : algorithm.outputs) {
        const Json wanted = row.value("outputs", Json());
        if (wanted.is_null() ? !port.required : std::find(wanted.begin(), wanted.end(), port.name) == wanted.end()) continue;
        step["out"][port.name] = "made_" + port.name;
        c.outputs["made_" + port.name] = port.name + (port.kind == engine::PortKind::array ? ".npy" : ".json");
    }
    c.steps.push_back(std::move(step));
    return c;
}

const std::vector<Case>& cases() {
    static const std::vector<Case> list = [] {
        std::vector<Case> all;
        for (const engine::Algorithm& algorithm : engine::all_algorithms())
            for (const Json& row : engine::problems::rows(algorithm.name, "tiles")) all.push_back(case_of(algorithm, row));
        all.push_back(
            {"box_count in slabs", ElementType::u8, "zyx", .6,
             Json::parse(
                 R"([{"run": "threshold", "method": "value", "value": 128}, {"run": "box_count", "in": {"volume": "mask",
                     "image": null}}])"),
             Json::parse(R"({"counts": "counts.json"})"), ""});
        all.push_back({"several steps", ElementType::u8, "yx", .3, Json::parse(R"([
            {"run": "convert", "type": "f32", "out": {"image": "real"}}, {"run": "box_filter", "radius": 3,
                "in": {"image": "real"}, "out": {"image": "background"}},
            {"run": "arithmetic", "op": "subtract", "in": {"image": "real", "other": "background"}, "out": {"image": "flat"}},
            {"run": "reduce", "op": "min", "in": {"array": "flat"}}])"),
                       Json::parse(R"({"flat": "flat.npy", "value": "lowest.json"})"), ""});
        return all;
    }();
    return list;
}

HostArray image_of(const Case& c, std::uint64_t bytes) {
    // Rows of odd length, so that nothing is aligned by chance.
    const std::int64_t x = bytes > (std::uint64_t{16} << 20) ? 4099 : 259, frames = 12;
    const auto elements = static_cast<std::int64_t>(bytes / bytes_of(c.type));
    std::vector<ArrayDesc::Extent> extents;
    if (c.axes.size() == 1) extents = {{c.axes[0], elements}};
    else if (c.axes.size() == 3) extents = {{c.axes[0], frames}, {'y', elements / x / frames}, {'x', x}};
    else extents = {{'y', elements / x}, {'x', x}};
    HostArray image = HostArray::make(ArrayDesc::dense(c.type, extents));
    const std::int64_t count = image.desc.count();
    std::uint32_t state = 12345;
    for (std::int64_t i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        const std::uint32_t value =
            (state >> 16) * static_cast<std::uint32_t>((i / x / 40 + i % x / 40) % 2 + 1) / 2;   // squares of two brightnesses
        if (c.type == ElementType::u8) image.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(value >> 8);
        else if (c.type == ElementType::u16) image.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(value);
        else if (c.type == ElementType::u32) image.as<std::uint32_t>()[i] = value;
        else image.as<float>()[i] = static_cast<float>(value) / 300.0f - 50.0f;
    }
    return image;
}

class Folder {
public:
    void keep(const HostArray& image) { io::write(folder_ / "image.npy", image, {.overwrite = true}); }
    engine::Prepared prepare(const Json& steps, const Json& outputs, const std::string& axes, const std::string& out,
                             std::uint64_t limit) const {
        Json job{{"parallax", 1}, {"inputs", {{"image", {{"file", "image.npy"}}}}}, {"steps", steps}, {"outputs", outputs}};
        if (axes.size() == 3) job["inputs"]["image"]["page_axis"] = std::string(1, axes[0]);
        if (limit > 0) job["memory_limit"] = limit;
        write_text(folder_ / "job.json", job.dump());
        engine::Locations where;
        where.job_folder = folder_.path();
        where.out = folder_ / out;
        return engine::prepare(engine::parse_job(job, registry_.algorithms()), where, true);
    }
    std::map<std::string, std::string> outputs(const std::string& out) const {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::directory_iterator(folder_ / out))
            files[entry.path().filename().string()] = read_text(entry.path());
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
                if (!c.refused.empty()) continue;
                const std::string& name = c.name;
                if (is_slow(device->info()) &&
                    (name.starts_with("diffusion") || name.starts_with("fft") || name == "box_filter of frames"))
                    continue;   // minutes of compiling
                CAPTURE(device_label(*device));
                CAPTURE(limit);
                CAPTURE(name);
                folder.keep(image_of(c, static_cast<std::uint64_t>(c.share * static_cast<double>(limit))));
                const engine::JobResult whole = engine::run(folder.prepare(c.steps, c.outputs, c.axes, "whole", 0), engine);
                CHECK(whole.peak_device_bytes > limit);
                const auto expected = folder.outputs("whole");

                const engine::Prepared prepared = folder.prepare(c.steps, c.outputs, c.axes, "tiled", limit);
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

TEST_CASE(
    "tiles: where a stack fits plane by plane, it fits by default, within the job's limit, the engine's, or the smaller of "
    "both") {
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    for (const DevicePtr& device : kernel_devices_under_test()) {
        if (is_slow(device->info())) continue;
        engine::Engine free_engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()});
        Folder folder;
        for (int turn = 0; turn < 4; ++turn) {
            const bool reflect = turn % 2 == 0;
            folder.keep(ramp(draw(100, 400), draw(100, 400)));
            Json distances = Json::array();
            for (std::int64_t i = draw(2, 12); i > 0; --i) distances.push_back(100 + 20 * i);
            Json step{{"run", "hologram"},
                      {"in", {{"hologram", "image"}}},
                      {"variant", reflect ? "fused_mirrored" : "fused"},
                      {"wavelength_nm", 532},
                      {"pixel_um", 1.4},
                      {"distance_um", distances},
                      {"method", "angular_spectrum"},
                      {"padding", reflect     ? "reflect"
                                  : turn == 1 ? "none"
                                              : "zero"},
                      {"policy", {{"planes_at_once", 1}}}};
            if (draw(0, 1)) step["autofocus"] = {{"object", "phase"}};
            const Json outputs{{"amplitude", "amplitude.npy"}};
            const auto prepare = [&](std::uint64_t limit) {
                return folder.prepare(Json::array({step}), outputs, "yx", "out", limit);
            };
            std::uint64_t limit = 0;
            CAPTURE(device_label(*device));
            CAPTURE(step.dump());
            try {
                limit = engine::describe_plan(prepare(std::uint64_t{1} << 30), free_engine)["upper_bound_bytes"];
            } catch (const UnsupportedError& error) {
                MESSAGE("not here: " << error.what());
                continue;
            }
            engine::run(prepare(0), free_engine);
            const auto expected = folder.outputs("out");
            step.erase("policy");
            limit += static_cast<std::uint64_t>(draw(0, 1000000));
            for (const auto& [of_job, of_engine] :
                 {std::pair{limit, std::uint64_t{0}}, {std::uint64_t{0}, limit}, {limit, 4 * limit}, {4 * limit, limit}}) {
                CAPTURE(of_job);
                CAPTURE(of_engine);
                engine::Engine engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()}, {of_engine, 0});
                const engine::Prepared prepared = prepare(of_job);
                const Json plan = engine::describe_plan(prepared, engine);
                CHECK(plan["spills"] == false);
                const engine::JobResult done = engine::run(prepared, engine);
                CHECK(done.peak_device_bytes <= limit);
                CHECK(done.peak_device_bytes <= plan["upper_bound_bytes"].get<std::uint64_t>());
                const auto made = folder.outputs("out");
                REQUIRE(made.size() == expected.size());
                const std::string &is = made.at("amplitude.npy"), &was = expected.at("amplitude.npy");
                REQUIRE(is.size() == was.size());
                const std::size_t first = was.find('\n') + 1;   // behind the header
                std::vector<float> a((is.size() - first) / sizeof(float)), b(a.size());
                std::memcpy(a.data(), is.data() + first, a.size() * sizeof(float));
                std::memcpy(b.data(), was.data() + first, b.size() * sizeof(float));
                double difference = 0, whole = 0;
                for (std::size_t i = 0; i < a.size(); ++i) {
                    difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
                    whole += std::pow(static_cast<double>(b[i]), 2);
                }
                CHECK(difference <= 1e-12 * whole);
            }
        }
    }
}

TEST_CASE("tiles: each algorithm that has an input says how it is cut, or why it cannot be") {
    for (const engine::Algorithm& algorithm : engine::all_algorithms()) {
        CAPTURE(algorithm.name);
        const bool elsewhere =
            algorithm.inputs.empty() || algorithm.name == "box_count";   // which goes in slabs, after another step
        CHECK(elsewhere == engine::problems::rows(algorithm.name, "tiles").empty());
    }
}

TEST_CASE("tiles: what cannot be cut is refused with the numbers and with what to try") {
    Folder folder;
    engine::Engine engine(*devices_under_test().front(), engine::registry_with_peers(), {host::ProgramCache::open()});
    for (const Case& row : cases()) {
        if (row.refused.empty()) continue;
        CAPTURE(row.name);
        folder.keep(image_of(row, 900000));
        const engine::Prepared prepared = folder.prepare(row.steps, row.outputs, row.axes, "out", 600000);
        for (const bool plan : {true, false}) {
            const auto error = error_of<UnsupportedError>([&] {
                plan ? static_cast<void>(engine::describe_plan(prepared, engine))
                     : static_cast<void>(engine::run(prepared, engine));
            });
            const std::string text = error.what();
            CAPTURE(text);
            for (const char* word : {"needs", "memory_limit is 600000 bytes", "try ", row.refused.c_str()})
                CHECK(contains(text, word));
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
    const Case c{"",
                 ElementType::u8,
                 "yx",
                 1,
                 Json::parse(R"([{"run": "box_filter", "radius": 2, "out": {"image": "blurred"}}])"),
                 Json::parse(R"({"blurred": "blurred.npy"})"),
                 ""};
    folder.keep(image_of(c, all ? std::uint64_t{300} << 20 : std::uint64_t{3} << 20));
    folder.prepare(c.steps, c.outputs, c.axes, "out", 0);
    const std::vector<std::string> memory = {"POCL_MEMORY_LIMIT=1"};
    const std::vector<std::string> limit =
        all ? std::vector<std::string>{} : std::vector<std::string>{"--set", "memory_limit=4000000"};
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
