// box_count on one device: every variant that runs there, CUB's sort in Hou's method among them, on random volumes of bytes and of
// bits. The floor is to read the volume once. A row is checked against the first before it is timed.
#include "core/session.hpp"
#include "measure.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <random>

namespace {

using namespace parallax;
using namespace parallax::bench;
using namespace parallax::engine;

/// A cube of random bytes, half of them above 127; or of random bits, eight to a byte.
HostArray random_cube(std::int64_t side, bool bits) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', side}, {'y', side}, {'x', bits ? side / 8 : side}}));
    std::mt19937_64 random(1);
    const std::size_t bytes = array.desc.dense_bytes();
    for (std::size_t i = 0; i < bytes; i += 8) {
        const std::uint64_t word = random();
        std::memcpy(array.data() + i, &word, std::min<std::size_t>(8, bytes - i));
    }
    return array;
}

class Benchmark {
public:
    Benchmark(const Options& options, const Json& policy, const host::Device& device)
        : options_(options), policy_(policy), engine_(device, {host::ProgramCache::open()}), session_(engine_), bandwidth_(copy_bandwidth(engine_.context(), session_.queue())) {}

    double bandwidth() const { return bandwidth_; }
    /// Whether some row was wrong.
    bool disagreed() const { return disagreed_; }
    const host::DeviceInfo& device() const { return engine_.device(); }

    void run(std::int64_t side, bool bits, const Json& options, Json& rows) {
        const Algorithm& algorithm = engine_.registry().get("box_count");
        Json parameters{{"threshold", bits ? 0 : 127}};
        if (bits) parameters["packed_width"] = side;
        parameters.update(options);
        const HostArray volume = random_cube(side, bits);
        Call call;
        call.algorithm = &algorithm;
        call.parameters = algorithm.parameters.parse(parameters, "");
        call.inputs["volume"] = session_.upload(volume);
        const std::string work = fmt::format("{}^3 {}", side, bits ? "bits" : "u8");
        std::optional<Json> first;
        for (const Variant& variant : algorithm.variants) {
            const auto& backends = variant.backends;
            if (!options_.wants(variant.name) || std::find(backends.begin(), backends.end(), engine_.device().backend) == backends.end()) continue;
            call.variant = variant.name;
            call.policy = policy_;
            try {
                const CallResult result = session_.run(call);
                if (!first) first = result.records;
                if (result.records != *first) {
                    disagreed_ = true;
                    print_refusal(work, variant.name, "counts otherwise than the first row: no time without agreement");
                    continue;
                }
                Row row{work, variant.name, {}, {}, static_cast<double>(volume.desc.dense_bytes())};
                row.plan_seconds = result.plan_seconds;
                row.timing = measure(options_, [&] {
                    session_.profiler().clear();
                    session_.run(call);
                    return kernel_seconds(session_.profiler());
                });
                print(row, bandwidth_);
                rows.push_back(to_json(row, bandwidth_));
            } catch (const UnsupportedError& error) {
                print_refusal(work, variant.name, error.reasons.empty() ? error.what() : error.reasons.front());
            }
        }
    }

private:
    const Options& options_;
    const Json& policy_;
    Engine engine_;
    Session session_;
    double bandwidth_;
    bool disagreed_ = false;
};

int run(const Options& options, const Json& policy, const Json& parameters, const std::vector<std::int64_t>& sides) {
    Benchmark benchmark(options, policy, *select_device(options));
    fmt::print("copy {:.1f} GB/s; copy %: the bytes that must be moved, at that speed\n", benchmark.bandwidth() * 1e-9);
    Json report{{"device", describe_device(benchmark.device())}, {"copy_bytes_per_second", benchmark.bandwidth()}, {"rows", Json::array()}};
    print_header();
    for (const std::int64_t side : sides) {
        for (const bool bits : {false, true}) benchmark.run(side, bits, parameters, report["rows"]);
    }
    write_json(options.json, report);
    return benchmark.disagreed() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Times the counting of boxes on one device.");
    Options options;
    options.add_to(app);
    std::vector<std::int64_t> sides{512, 1024, 2048};
    app.add_option("--side", sides, "voxels a side, multiples of 8")->delimiter(',');
    std::string policy = "{}", parameters = "{}";
    app.add_option("--policy", policy, "policy of the variant that --only names, as JSON");
    app.add_option("--parameters", parameters, R"(what is counted, as JSON: {"offsets": 3})");
    CLI11_PARSE(app, argc, argv);
    try {
        return run(options, Json::parse(policy), Json::parse(parameters), sides);
    } catch (const CLI::Error& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
