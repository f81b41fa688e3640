// A device with less than its driver says at first: local memory that the driver adds to what a kernel declares, as NVIDIA's
// OpenCL does, and work-groups smaller for some kernels than for the device. Plans know what was built, and choose again.
#include "algorithms/fft/line.hpp"
#include "algorithms/fft/radices.hpp"
#include "core/kernel_fit.hpp"
#include "devices.hpp"
#include "faults.hpp"
#include "jobs.hpp"
#include "peers/peers.hpp"

#include <CL/cl.h>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::tests::faults;

namespace {

constexpr unsigned long local_memory = 49152, added = 16;  // of an H100, by driver 580

/// The device is smaller while it lives.
class Smaller {
public:
    Smaller(const Layer& layer, unsigned long memory, unsigned long more, unsigned long group, const std::string& kernels = "")
        : layer_(layer) {
        layer_.limit(memory, more, group, kernels);
    }
    ~Smaller() { layer_.limit(0, 0, 0); }
    Smaller(const Smaller&) = delete;
    Smaller& operator=(const Smaller&) = delete;

private:
    const Layer& layer_;
};

/// Devices whose driver reports what kernels take: rusticl 22.3 counts twice, and llvmpipe compiles a transform for minutes.
std::vector<DevicePtr> honest_devices() {
    std::vector<DevicePtr> devices = kernel_devices_under_test();
    std::erase_if(devices, [](const DevicePtr& device) {
        return device->info().backend != host::Backend::opencl || device->info().platform == "rusticl";
    });
    return devices;
}

/// With the limits that hold now.
DevicePtr as_it_is_now(const DevicePtr& device) {
    return host::enumerate().devices.at(static_cast<std::size_t>(device->info().index));
}

struct Ran {
    HostArray array;
    engine::CallResult about;
};

Ran run(engine::Engine& engine, const std::string& algorithm, const Json& parameters, const HostArray& in,
        const std::string& variant, const Json& policy = Json::object()) {
    engine::Session session(engine);
    engine::Call call;
    call.algorithm = &engine.registry().get(algorithm);
    call.parameters = call.algorithm->parameters.parse(parameters, "");
    call.variant = variant;
    call.policy = policy;
    if (in.memory) call.inputs.emplace(call.algorithm->inputs.front().name, session.upload(in));
    Ran ran;
    ran.about = session.run(call);
    ran.array = session.download(ran.about.outputs.begin()->second);
    return ran;
}

/// Whether the driver says what kernels take: PoCL 6 says 0 of every one.
bool tells_local_memory(const DevicePtr& device, const HostArray& image) {
    engine::Engine engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()});
    const Ran made = run(engine, "histogram", Json::object(), image, "replicated");
    return std::any_of(made.about.built.begin(), made.about.built.end(), [](const auto& b) { return b.local_memory > 0; });
}

HostArray waves(std::int64_t height, std::int64_t width) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::c64, {{'y', height}, {'x', width}}));
    for (std::int64_t i = 0; i < 2 * array.desc.count(); ++i)
        array.as<float>()[i] = static_cast<float>((i * 2654435761u >> 7) % 1000) * 1e-3f;
    return array;
}

bool equal(const HostArray& a, const HostArray& b, double tolerance) {
    double largest = 0, error = 0;
    const std::int64_t numbers = a.desc.count() * (is_complex(a.desc.type) ? 2 : 1);
    for (std::int64_t i = 0; i < numbers; ++i) {
        largest = std::max<double>(largest, std::abs(b.as<float>()[i]));
        error = std::max<double>(error, std::abs(a.as<float>()[i] - b.as<float>()[i]));
    }
    return error <= tolerance * largest;
}

/// Lengths whose lines of one work-group fill local memory to the last bytes.
std::vector<int> brimming(engine::fft::LineLayout layout, std::int64_t lines) {
    engine::fft::LineLimits limits;
    limits.local_bytes = local_memory;
    std::vector<int> lengths;
    for (int n = 2; n <= engine::fft::longest_line; ++n) {
        if (!engine::fft::is_smooth(n)) continue;
        const auto line = engine::fft::plan_line(n, layout, limits, lines);
        if (line && line->radices.size() > 1 && line->local_bytes() + added > local_memory) lengths.push_back(n);
    }
    return lengths;
}

}  // namespace

TEST_CASE("limits: transforms that would fill local memory leave what the driver takes") {
    const Layer layer;
    engine::Engine judge(*host::enumerate().native(), engine::registry_with_peers());
    const std::vector<int> columns = brimming(engine::fft::LineLayout::columns, 8);
    CHECK(std::find(columns.begin(), columns.end(), 3072) != columns.end());  // a padded frame of 2048 x 1536 has such columns
    for (const DevicePtr& device : honest_devices()) {
        CAPTURE(device_label(*device));
        const Smaller smaller(layer, local_memory, added, 0);
        engine::Engine engine(*as_it_is_now(device), engine::registry_with_peers(), {host::ProgramCache::open()});
        REQUIRE(engine.device().local_memory == local_memory);
        const HostArray in = waves(3072, 8);
        const Ran made = run(engine, "fft", Json::object(), in, "radix");
        CHECK(layer.refused() == 0);
        for (const auto& built : made.about.built) CHECK(built.local_memory <= local_memory);
        CHECK(equal(made.array, run(judge, "fft", Json::object(), in, "reference").array, 5e-6));
    }
}

TEST_CASE("limits: work-groups are as small as the driver allows a kernel") {
    const Layer layer;
    engine::Engine judge(*host::enumerate().native(), engine::registry_with_peers());
    const Json beads{{"width", 32}, {"height", 24}, {"radius_um", 3}};
    for (const DevicePtr& device : honest_devices()) {
        CAPTURE(device_label(*device));
        const Smaller smaller(layer, 0, 0, 32, "expose");
        engine::Engine engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()});
        const Ran made = run(engine, "hologram_simulate", beads, {}, "");
        CHECK(made.about.policy.at("work_group_size") == 32);
        CHECK(contains(made.about.policy_from,
                       "smaller work-groups: kernel expose is planned for work-groups of 64, and the driver allows it 32"));
        CHECK(equal(made.array, run(judge, "hologram_simulate", beads, {}, "reference").array, 1e-4));
        // A size that a job asks for is not another's to change.
        const auto refused = error_of<UnsupportedError>([&] {
            run(engine, "hologram_simulate", beads, {}, "device", {{"work_group_size", 128}});
        });
        CHECK(contains(refused.what(), "kernel expose is planned for work-groups of 128, and the driver allows it 32"));
        CHECK(layer.refused() == 0);
    }
}

TEST_CASE("limits: what fits is planned as the device reports, and kernels of one work-item are no misfits") {
    const Layer layer;
    HostArray keys = HostArray::make(ArrayDesc::dense(ElementType::u64, {{'n', 5003}}));
    for (std::uint64_t i = 0; i < 5003; ++i) keys.as<std::uint64_t>()[i] = (i + 1) * 0x9E3779B97F4A7C15u >> 8;
    std::vector<std::uint64_t> sorted(keys.as<std::uint64_t>(), keys.as<std::uint64_t>() + 5003);
    std::sort(sorted.begin(), sorted.end());
    for (const DevicePtr& device : honest_devices()) {
        for (const bool less : {false, true}) {
            CAPTURE(device_label(*device));
            const Smaller smaller(layer, less ? local_memory : 0, less ? added : 0, 0);
            engine::Engine engine(*as_it_is_now(device), engine::registry_with_peers(), {host::ProgramCache::open()});
            const Ran made = run(engine, "sort", Json::object(), keys, "radix");
            CHECK(made.about.policy_from == "default");
            CHECK(std::equal(sorted.begin(), sorted.end(), made.array.as<std::uint64_t>()));
            CHECK(std::any_of(made.about.built.begin(), made.about.built.end(),
                              [](const auto& built) { return built.kernel == "count_digits" && built.max_work_group == 512; }));
        }
    }
}

TEST_CASE("limits: a variant that does not fit gives way to the next, with the reason") {
    const Layer layer;
    engine::Engine judge(*host::enumerate().native(), engine::registry_with_peers());
    const HostArray image = ramp(61, 83);
    for (const DevicePtr& device : honest_devices()) {
        CAPTURE(device_label(*device));
        if (!tells_local_memory(device, image)) {
            MESSAGE(device_label(*device), " does not say what kernels take: nothing is known not to fit");
            continue;
        }
        const Smaller smaller(layer, local_memory, 1 << 20, 0);  // nothing that declares local memory fits
        engine::Engine engine(*as_it_is_now(device), engine::registry_with_peers(), {host::ProgramCache::open()});
        const Ran made = run(engine, "histogram", Json::object(), image, "");
        CHECK(made.about.variant == "global_atomics");
        REQUIRE(made.about.refusals.size() >= 2);
        CHECK(made.about.refusals[0].variant == "replicated");
        CHECK(contains(made.about.refusals[0].reason, "kernel histogram_local takes"));
        const HostArray right = run(judge, "histogram", Json::object(), image, "reference").array;
        CHECK(std::equal(right.as<std::uint32_t>(), right.as<std::uint32_t>() + right.desc.count(),
                         made.array.as<std::uint32_t>()));
        const auto refused = error_of<UnsupportedError>([&] { run(engine, "histogram", Json::object(), image, "replicated"); });
        CHECK(contains(refused.what(), "kernel histogram_local takes"));
        CHECK(layer.refused() == 0);
    }
}
