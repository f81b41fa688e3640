// box_count on one device: every variant that runs there, CUB's sort in Hou's method among them, on random volumes of bytes and
// of bits. The floor is to read the volume once. A row is checked against the first before it is timed.
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
    HostArray array =
        HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', side}, {'y', side}, {'x', bits ? side / 8 : side}}));
    std::mt19937_64 random(1);
    const std::size_t bytes = array.desc.dense_bytes();
    for (std::size_t i = 0; i < bytes; i += 8) {
        const std::uint64_t word = random();
        std::memcpy(array.data() + i, &word, std::min<std::size_t>(8, bytes - i));
    }
    return array;
}

/// Every variant on one volume; whether all agreed.
bool run(Bench& bench, std::int64_t side, bool bits, const Json& policy, const Json& options) {
    const Algorithm& algorithm = bench.engine.registry().get("box_count");
    Json parameters{{"threshold", bits ? 0 : 127}};
    if (bits) parameters["packed_width"] = side;
    parameters.update(options);
    const HostArray volume = random_cube(side, bits);
    Call call;
    call.algorithm = &algorithm;
    call.parameters = algorithm.parameters.parse(parameters, "");
    call.policy = policy;
    call.inputs["volume"] = bench.session.upload(volume);
    const std::string work = fmt::format("{}^3 {}", side, bits ? "bits" : "u8");
    std::optional<Json> first;
    bool agreed = true;
    for (const Variant* const variant : bench.variants(algorithm)) {
        call.variant = variant->name;
        try {
            const CallResult result = bench.session.run(call);
            if (!first) first = result.records;
            if (result.records != *first) {
                agreed = false;
                print_refusal(work, variant->name, "counts otherwise than the first row: no time without agreement");
                continue;
            }
            Row row{work, variant->name, {}, {}, static_cast<double>(volume.desc.dense_bytes())};
            row.plan_seconds = result.plan_seconds;
            row.timing = bench.time(call, result);
            bench.add(row);
        } catch (const UnsupportedError& error) {
            print_refusal(work, variant->name, error);
        }
    }
    return agreed;
}

int run(const Options& options, const Json& policy, const Json& parameters, const std::vector<std::int64_t>& sides) {
    Bench bench(options);
    fmt::print("copy {:.1f} GB/s; copy %: the bytes that must be moved, at that speed\n", bench.bandwidth * 1e-9);
    print_header();
    bool agreed = true;
    for (const std::int64_t side : sides) {
        for (const bool bits : {false, true}) agreed = run(bench, side, bits, policy, parameters) && agreed;
    }
    write_json(options.json, bench.report);
    return agreed ? 0 : 1;
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
    return run_main(app, argc, argv, [&] { return run(options, Json::parse(policy), Json::parse(parameters), sides); });
}
