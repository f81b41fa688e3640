// reduce, scan, histogram, sort, equalize and box_filter on one device: every variant that runs there, peers among them
// (CUB and NPP on CUDA devices, oneTBB and OpenCV on the native one), on the same arrays. A row is checked against another
// variant before it is timed.
#include "core/session.hpp"
#include "measure.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>

namespace {

using namespace parallax;
using namespace parallax::bench;
using namespace parallax::engine;

/// One line of the table: an algorithm on some data.
struct Work {
    std::string name;                       ///< "reduce f32"
    std::string algorithm;
    Json parameters = Json::object();
    std::function<std::vector<HostArray>()> inputs;   ///< in the order of `ports`, made where they are wanted
    std::vector<std::string> ports;
    std::vector<std::string> outputs;
    double floor_bytes = 0;
    double tolerance = 0;   ///< of numbers in records and of float arrays, relative; of u8 in levels; 0: bit for bit
};

HostArray array_of(ElementType type, const std::vector<ArrayDesc::Extent>& extents) {
    return HostArray::make(ArrayDesc::dense(type, extents));
}

void fill_random(HostArray& array, unsigned seed) {
    std::mt19937_64 random(seed);
    const std::size_t bytes = array.desc.dense_bytes();
    std::byte* const to = array.data();
    for (std::size_t i = 0; i < bytes; i += 8) {
        const std::uint64_t word = random();
        std::memcpy(to + i, &word, std::min<std::size_t>(8, bytes - i));
    }
}

HostArray random_array(ElementType type, const std::vector<ArrayDesc::Extent>& extents) {
    HostArray array = array_of(type, extents);
    fill_random(array, 1);
    if (type == ElementType::f32) {   // numbers around 1, none of them infinite
        auto* values = reinterpret_cast<float*>(array.data());
        const auto* bits = reinterpret_cast<const std::uint32_t*>(array.data());
        for (std::int64_t i = 0; i < array.desc.count(); ++i) values[i] = static_cast<float>(bits[i] >> 8) * 0x1p-24f + 0.5f;
    }
    return array;
}

HostArray constant_bytes(const std::vector<ArrayDesc::Extent>& extents) {
    HostArray array = array_of(ElementType::u8, extents);
    std::memset(array.data(), 0x5a, array.desc.dense_bytes());
    return array;
}

std::string size_name(std::int64_t n) {
    if (n > 0 && (n & (n - 1)) == 0) {
        int log = 0;
        while ((std::int64_t{1} << log) < n) ++log;
        return fmt::format("2^{}", log);
    }
    return fmt::format("{}", n);
}

std::vector<Work> works(std::int64_t n, std::int64_t side) {
    const auto elements = static_cast<double>(n), pixels = static_cast<double>(side * side);
    std::vector<Work> all;
    const auto add = [&](std::string name, std::string algorithm, Json parameters, std::function<HostArray()> input,
                         std::string in, std::string out, double bytes, double tolerance = 0) {
        all.push_back({std::move(name),
                       std::move(algorithm),
                       std::move(parameters),
                       [input = std::move(input)] { return std::vector<HostArray>{input()}; },
                       {std::move(in)},
                       {std::move(out)},
                       bytes,
                       tolerance});
    };
    const auto random = [](ElementType type, std::vector<ArrayDesc::Extent> extents) {
        return [=] { return random_array(type, extents); };
    };
    add("reduce f32 sum", "reduce", {{"op", "sum"}}, random(ElementType::f32, {{'x', n}}), "array", "value", 4 * elements, 1e-6);
    add("reduce f32 statistics", "reduce", Json::object(), random(ElementType::f32, {{'x', n}}), "array", "statistics",
        4 * elements, 1e-6);
    add("reduce u32 max", "reduce", {{"op", "max"}}, random(ElementType::u32, {{'x', n}}), "array", "value", 4 * elements);
    add("reduce u8 sum", "reduce", {{"op", "sum"}}, random(ElementType::u8, {{'x', n}}), "array", "value", elements);
    add("reduce u8 statistics", "reduce", Json::object(), random(ElementType::u8, {{'x', n}}), "array", "statistics", elements,
        1e-12);
    add("scan u32 exclusive", "scan", {{"kind", "exclusive"}}, random(ElementType::u32, {{'x', n}}), "array", "array",
        8 * elements);
    add("scan u64 inclusive", "scan", {{"kind", "inclusive"}}, random(ElementType::u64, {{'x', n / 2}}), "array", "array",
        8 * elements);
    add("scan f32 inclusive", "scan", {{"kind", "inclusive"}}, random(ElementType::f32, {{'x', n}}), "array", "array",
        8 * elements, 1e-5);
    add("histogram u8 random", "histogram", Json::object(), random(ElementType::u8, {{'y', 4}, {'x', n}}), "image", "histogram",
        4 * elements);
    add(
        "histogram u8 constant", "histogram", Json::object(),
        [=] {
            return constant_bytes({{'y', 4}, {'x', n}});
        },
        "image", "histogram", 4 * elements);
    add("histogram u16 random", "histogram", Json::object(), random(ElementType::u16, {{'y', 2}, {'x', n}}), "image", "histogram",
        4 * elements);
    add("sort u32 keys", "sort", Json::object(), random(ElementType::u32, {{'x', n}}), "keys", "keys", 36 * elements);
    add("sort u64 keys", "sort", Json::object(), random(ElementType::u64, {{'x', n / 4}}), "keys", "keys", 34 * elements);
    all.push_back({"sort u32 pairs",
                   "sort",
                   Json::object(),
                   [=] {
                       return std::vector<HostArray>(2, random_array(ElementType::u32, {{'x', n / 2}}));
                   },
                   {"keys", "values"},
                   {"keys", "values"},
                   34 * elements});
    add("equalize u8", "equalize", Json::object(), random(ElementType::u8, {{'y', side}, {'x', side}}), "image", "image",
        3 * pixels);
    // The border is the one that every peer has.
    for (const int radius : {1, 3, 15, 31, 64})
        add(fmt::format("box f32 r={}", radius), "box_filter", {{"radius", radius}, {"border", "replicate"}},
            random(ElementType::f32, {{'y', side}, {'x', side}}), "image", "image", 8 * pixels, 1e-4);
    for (const int radius : {1, 15})
        add(fmt::format("box u8 r={}", radius), "box_filter", {{"radius", radius}, {"border", "replicate"}},
            random(ElementType::u8, {{'y', side}, {'x', side}}), "image", "image", 2 * pixels,
            1);   // peers round halves as they please
    return all;
}

/// The largest difference of two results, relative to the larger, or, of u8, in levels; infinity where they are of different
/// kinds.
double difference(const Json& a, const Json& b) {
    if (a.is_object() && b.is_object()) {
        double worst = 0;
        for (const auto& [key, value] : a.items())
            worst = std::max(worst, b.contains(key) ? difference(value, b.at(key)) : std::numeric_limits<double>::infinity());
        return worst;
    }
    if (a == b) return 0;
    if (!a.is_number() || !b.is_number()) return std::numeric_limits<double>::infinity();
    const double x = a.get<double>(), y = b.get<double>();
    return std::abs(x - y) / std::max(std::abs(x), std::abs(y));
}

double difference(const HostArray& a, const HostArray& b) {
    const std::size_t bytes = a.desc.dense_bytes();
    if (bytes != b.desc.dense_bytes()) return std::numeric_limits<double>::infinity();
    if (std::memcmp(a.data(), b.data(), bytes) == 0) return 0;
    if (a.desc.type == ElementType::u8) {   // in levels
        int worst = 0;
        for (std::size_t i = 0; i < bytes; ++i)
            worst = std::max(worst, std::abs(static_cast<int>(a.data()[i]) - static_cast<int>(b.data()[i])));
        return worst;
    }
    if (a.desc.type != ElementType::f32) return std::numeric_limits<double>::infinity();
    const auto *x = reinterpret_cast<const float*>(a.data()), *y = reinterpret_cast<const float*>(b.data());
    double worst = 0;
    for (std::int64_t i = 0; i < a.desc.count(); ++i) {
        const double most = std::max(std::abs(double{x[i]}), std::abs(double{y[i]}));
        if (most != 0) worst = std::max(worst, std::abs(double{x[i]} - double{y[i]}) / most);
    }
    return worst;
}

/// Every variant on some data; whether all agreed.
bool run(Bench& bench, const Work& work, const std::string& size, const Json& policy) {
    Session& session = bench.session;
    const Algorithm& algorithm = bench.engine.registry().get(work.algorithm);
    Call call;
    call.algorithm = &algorithm;
    call.parameters = algorithm.parameters.parse(work.parameters, "");
    call.policy = policy;
    call.outputs = work.outputs;
    const std::vector<HostArray> inputs = work.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) call.inputs[work.ports[i]] = session.upload(inputs[i]);
    std::optional<CallResult> first;
    std::map<std::string, HostArray> expected;
    bool agreed = true;
    for (const Variant* const variant : bench.variants(algorithm)) {
        call.variant = variant->name;
        try {
            CallResult result = session.run(call);
            Row row{size, variant->name, work.name, {}, work.floor_bytes};
            row.plan_seconds = result.plan_seconds;
            if (!first) {
                first = result;
                for (const auto& [port, array] : result.outputs) expected.emplace(port, session.download(array));
            } else {
                row.error = difference(first->records, result.records);
                for (const auto& [port, array] : result.outputs)
                    row.error = std::max(row.error, difference(expected.at(port), session.download(array)));
            }
            if (!(row.error <= work.tolerance)) {
                agreed = false;
                print_refusal(
                    size, variant->name,
                    fmt::format("{}: differs by {:.1e} from the first row: no time without agreement", work.name, row.error));
                continue;
            }
            row.timing = bench.time(call, result);
            bench.add(row, {{"work", work.name}});
        } catch (const UnsupportedError& error) {
            print_refusal(size, variant->name, error, work.name + ": ");
        }
    }
    return agreed;
}

/// 2^log for each of `logs`, or, with a seed, numbers drawn between the smallest and the largest of these, as many an octave.
std::vector<std::int64_t> numbers_of_elements(const Options& options, const std::vector<int>& logs) {
    std::vector<std::int64_t> numbers;
    if (!options.random) {
        for (const int log : logs) numbers.push_back(std::int64_t{1} << log);
        return numbers;
    }
    const auto [smallest, largest] = std::minmax_element(logs.begin(), logs.end());
    std::mt19937 random(*options.random);   // its numbers are the standard's; distributions are not
    for (int i = 0; i < options.count; ++i) {
        const double log = *smallest + (*largest - *smallest) * (static_cast<double>(random()) / 0x1p32);
        numbers.push_back(static_cast<std::int64_t>(std::exp2(log)));
    }
    fmt::print("{} numbers of elements drawn by --random {}\n", options.count, *options.random);
    return numbers;
}

int run(const Options& options, const Json& policy, const std::vector<int>& logs, const std::vector<std::string>& works_wanted) {
    Bench bench(options);
    fmt::print("copy {:.1f} GB/s; copy %: the bytes that must be moved, at that speed\n", bench.bandwidth * 1e-9);
    print_header();
    bool agreed = true;
    for (const std::int64_t n : numbers_of_elements(options, logs)) {
        for (const Work& work : works(n, static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)) / 2))) {
            const bool wanted = works_wanted.empty() ||
                                std::any_of(works_wanted.begin(), works_wanted.end(),
                                            [&](const std::string& part) { return work.name.find(part) != std::string::npos; });
            if (wanted) agreed = run(bench, work, size_name(n), policy) && agreed;
        }
    }
    write_json(options.json, bench.report);
    return agreed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Times reductions, scans, histograms, sorts and filters on one device.");
    Options options;
    options.add_to(app);
    std::vector<int> logs{20, 24, 28};
    std::vector<std::string> works_wanted;
    app.add_option("--log2", logs, "log2 of the numbers of elements; of the smallest and the largest that --random draws")
        ->delimiter(',');
    app.add_option("--work", works_wanted, "only work whose name holds one of these: scan, \"reduce f32\"")->delimiter(',');
    std::string policy = "{}";
    app.add_option("--policy", policy, "policy of the variant that --only names, as JSON");
    return run_main(app, argc, argv, [&] { return run(options, Json::parse(policy), logs, works_wanted); });
}
