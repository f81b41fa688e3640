// parallax_sizes: problems of random sizes, types, parameters, variants and policies on every device, each held against something
// slower. docs/testing.md tells what is drawn. It needs nothing but the drivers: carried to another machine it runs there.
#include "devices.hpp"
#include "judge.hpp"
#include "parallax/host/selector.hpp"
#include "peers/peers.hpp"
#include "sizes/sweep.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <random>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::tests::sizes;

namespace {

using Clock = std::chrono::steady_clock;
constexpr int sizes_of_each = 4;  // compiling costs most: each problem is run in so many sizes

constexpr const char* usage =
    "parallax_sizes [--seed N] [--draws N] [--seconds S] [--device SPEC]... [--algorithm NAME]... [--without NAME]... "
    "[--elements N] [--peers] [--verbose]\n"
    "parallax_sizes --device SPEC --problem JSON\n"
    "  --seed       of the draws; without it another one each time, which is printed\n"
    "  --draws      at most so many on each device\n"
    "  --seconds    for all devices together (60)\n"
    "  --device     as of parallax run: a name, an index, \"native\", JSON; without it all that there are, or those of "
    "PARALLAX_TEST_DEVICES\n"
    "  --algorithm  only this one\n"
    "  --without    not this one\n"
    "  --elements   of an input, at most (200000, and 20000000 on GPUs)\n"
    "  --peers      others' libraries, too\n"
    "  --problem    one draw again, as a failure prints it\n";

struct Options {
    std::uint64_t seed = std::random_device{}() % 1000000;
    long draws = 1000000000;
    double seconds = 60;
    std::vector<std::string> devices, algorithms, without;
    std::int64_t elements = 0;
    bool peers = false, verbose = false;
    std::string problem;
};

struct Count {
    long draws = 0, failures = 0, refusals = 0;
    void add(const Count& other) { draws += other.draws, failures += other.failures, refusals += other.refusals; }
};

std::string repeat_command(const host::DeviceInfo& device, const Draw& draw) {
    const Json rule{{"prefer", {{{"backend", to_string(device.backend)}, {"platform", device.platform}, {"name", device.name}}}}};
    const Json spec = device.backend == host::Backend::native ? Json("native") : rule;
    return fmt::format("parallax_sizes --device '{}' --problem '{}'", spec.is_string() ? spec.get<std::string>() : spec.dump(),
                       draw.to_json().dump());
}

/// One device, until its time is over.
class Sweep {
public:
    Sweep(const DevicePtr& device, engine::Engine& reference, const Options& options)
        : options_(options),
          engine_(*device, engine::registry_with_peers(), {host::ProgramCache::open()}),
          judge_(engine_, reference) {
        bounds_.backend = device->info().backend;
        bounds_.peers = options.peers;
        bounds_.elements = options.elements != 0                                       ? options.elements
                           : device->info().type == host::DeviceType::gpu && is_fast() ? 20000000
                                                                                       : 200000;
    }

    Count run(double seconds) {
        const auto start = Clock::now();
        const auto is_over = [&] {
            return total_.draws >= options_.draws || std::chrono::duration<double>(Clock::now() - start).count() > seconds;
        };
        std::vector<const engine::Algorithm*> algorithms;
        const auto has = [](const std::vector<std::string>& names, const std::string& name) {
            return std::find(names.begin(), names.end(), name) != names.end();
        };
        for (const engine::Algorithm& algorithm : engine_.registry().algorithms())
            if ((options_.algorithms.empty() || has(options_.algorithms, algorithm.name)) &&
                !has(options_.without, algorithm.name))
                algorithms.push_back(&algorithm);
        for (std::uint64_t round = 0; !is_over(); ++round)
            for (std::size_t a = 0; a < algorithms.size() && !is_over(); ++a) draw_and_run(round, a, *algorithms[a], is_over);
        report(std::chrono::duration<double>(Clock::now() - start).count());
        return total_;
    }

    Result once(const Draw& draw) {
        const std::string command = repeat_command(engine_.device(), draw);
        runs_now(command);
        if (options_.verbose) fmt::print("{}: {}\n", engine_.device().name, draw.describe());
        std::fflush(stdout);
        const auto start = Clock::now();
        Result result = judge_.run(draw);
        if (options_.verbose)
            fmt::print("  {} against {}, {:.1f} s\n", result.variant, result.against,
                       std::chrono::duration<double>(Clock::now() - start).count());
        if (result.verdict == Verdict::no_problem) return result;
        Count& count = by_algorithm_[draw.algorithm];
        ++count.draws;
        ++total_.draws;
        if (result.verdict == Verdict::refused) ++count.refusals, ++total_.refusals;
        if (!result.against.empty())
            ++against_[result.against == "reference" || result.against == "threaded" ? result.against : "another variant"];
        if (options_.verbose && !result.reason.empty() && result.verdict == Verdict::refused)
            fmt::print("  refused: {}\n", result.reason);
        if (result.verdict != Verdict::failed) return result;
        ++count.failures;
        ++total_.failures;
        fmt::print("FAILED on {} ({}): {}\n  {}\n  {}\n", engine_.device().name, engine_.device().platform, draw.describe(),
                   result.reason, command);
        std::fflush(stdout);
        return result;
    }

private:
    bool is_fast() const { return engine_.device().platform != "rusticl" && engine_.device().platform != "Oclgrind"; }

    template <class IsOver>
    void draw_and_run(std::uint64_t round, std::size_t a, const engine::Algorithm& algorithm, const IsOver& is_over) {
        Random random(options_.seed, round * 1000 + a);
        const auto drawn = draw_problem(random, algorithm, bounds_);
        if (!drawn) {
            ++not_drawn_[algorithm.name];
            return;
        }
        once(*drawn);
        for (int i = 1; i < sizes_of_each && !is_over(); ++i)
            if (const auto other = draw_another_size(random, algorithm, *drawn, bounds_)) once(*other);
    }

    void report(double seconds) const {
        const host::DeviceInfo& info = engine_.device();
        fmt::print("\n{} ({}, {}), {:.0f} s, inputs of up to {} elements\n", info.name, info.platform, info.driver, seconds,
                   bounds_.elements);
        for (const auto& [name, count] : by_algorithm_)
            fmt::print("  {:<18} {:>5} draws {:>4} failures {:>4} refusals\n", name, count.draws, count.failures, count.refusals);
        for (const auto& [name, times] : not_drawn_)
            fmt::print("  {:<18} {} times nothing was found that it takes\n", name, times);
        fmt::print("  held against:");
        for (const auto& [what, times] : against_) fmt::print(" {} {}", what, times);
        fmt::print("\n");
        std::fflush(stdout);
    }

    const Options& options_;
    engine::Engine engine_;
    Judge judge_;
    Bounds bounds_;
    Count total_;
    std::map<std::string, Count> by_algorithm_;
    std::map<std::string, long> against_, not_drawn_;
};

/// Throws std::invalid_argument.
Options options_of(int count, char** words) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--verbose")
            options.verbose = true;
        else if (word == "--peers")
            options.peers = true;
        else if (i + 1 == count)
            throw std::invalid_argument(word);
        else if (word == "--seed")
            options.seed = std::stoull(words[++i]);
        else if (word == "--draws")
            options.draws = std::stol(words[++i]);
        else if (word == "--seconds")
            options.seconds = std::stod(words[++i]);
        else if (word == "--elements")
            options.elements = std::stoll(words[++i]);
        else if (word == "--device")
            options.devices.emplace_back(words[++i]);
        else if (word == "--algorithm")
            options.algorithms.emplace_back(words[++i]);
        else if (word == "--without")
            options.without.emplace_back(words[++i]);
        else if (word == "--problem")
            options.problem = words[++i];
        else
            throw std::invalid_argument(word);
    }
    return options;
}

std::vector<DevicePtr> devices_of(const Options& options) {
    if (options.devices.empty()) return devices_under_test();
    const host::Inventory inventory = host::enumerate();
    std::vector<DevicePtr> devices;
    for (const std::string& spec : options.devices)
        devices.push_back(host::DeviceSelector::parse_spec(spec).select(inventory).device);
    return devices;
}

int run(const Options& options) {
    const host::Inventory inventory = host::enumerate();
    engine::Engine reference(*inventory.native(), engine::registry_with_peers());
    for (const std::string& name : options.algorithms) reference.registry().get(name, "--algorithm");
    for (const std::string& name : options.without) reference.registry().get(name, "--without");
    const std::vector<DevicePtr> devices = devices_of(options);
    Count total;
    if (!options.problem.empty()) {
        const Result result = Sweep(devices.front(), reference, options).once(Draw::parse(Json::parse(options.problem)));
        if (result.verdict == Verdict::right) fmt::print("right: {} agrees with {}\n", result.variant, result.against);
        if (result.verdict == Verdict::refused) fmt::print("refused: {}\n", result.reason);
        if (result.verdict == Verdict::no_problem) fmt::print("not a problem: {}\n", result.reason);
        return result.verdict == Verdict::failed ? 1 : 0;
    }
    fmt::print("sizes: seed {}\n", options.seed);
    std::fflush(stdout);
    for (const DevicePtr& device : devices) {
        const Count of_device = Sweep(device, reference, options).run(options.seconds / static_cast<double>(devices.size()));
        total.add(of_device);
        if (of_device.draws == 0) ++total.failures;
    }
    fmt::print("sizes: {} draws, {} failures, {} refusals, seed {}\n", total.draws, total.failures, total.refusals, options.seed);
    return total.failures == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    return run_sweep("parallax_sizes", usage, [&] { return run(options_of(count, words)); });
}
