#include "opencl/probe.hpp"

#include "failure.hpp"
#include "opencl/command_buffer.hpp"
#include "opencl/context.hpp"
#include "opencl/event.hpp"
#include "opencl/info.hpp"
#include "opencl/native.hpp"
#include "opencl/queue.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/in_flight.hpp"
#include "parallax/host/json.hpp"
#include "program/key.hpp"
#include "program/source.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace parallax::host::opencl {
namespace {

constexpr std::array files{"probe/fp64.cl",     "probe/int64_atomics.cl", "probe/inline_ptx.cl",
                           "probe/lockstep.cl", "probe/event_times.cl",   "probe/grid_exchange.cl",
                           "probe/recording.cl"};

struct Probing {
    ClContext& context;
    bool failed = false;   // a probe ended with an error: the device has not got it, or the process has wanted for something
};

// Runs the kernel `probe` of a file: one buffer of words in and out. Empty where it does not build or run.
struct ProbeRun {
    std::vector<std::uint32_t> words;
    std::optional<EventTimes> times;   // of the second launch: drivers compile during the first
    double seconds = 0;                // the same by the host's clock
};

std::optional<ProbeRun> run(Probing& probing, const std::string& file, const Defines& defines, std::vector<std::uint32_t> words,
                            std::size_t items, std::size_t groups = 1) {
    try {
        ClContext& context = probing.context;
        const auto kernel = context.build({file, defines})->kernel("probe");
        if (kernel->max_work_group() < items) return std::nullopt;
        const auto queue = context.create_queue({.profiled = true});
        const std::size_t bytes = words.size() * sizeof words[0];
        // The buffer, too: rusticl 22.3 frees what a running kernel still uses.
        InFlight<Buffer> held(*queue, context.allocate(bytes));
        const Buffer& buffer = *held;
        InFlight<std::vector<std::uint32_t>> exchanged(*queue, std::move(words));
        queue->write(buffer, 0, exchanged->data(), bytes, file);
        const std::array arguments{Arg(buffer)};
        const Launch launch{.kernel = *kernel, .groups = {groups}, .local = {items}, .args = arguments, .step = file};
        queue->launch(launch);
        queue->read(buffer, 0, exchanged->data(), bytes, file).wait();
        const auto start = std::chrono::steady_clock::now();
        const Event again = queue->launch(launch);
        again.wait();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        exchanged.landed();
        held.landed();
        return ProbeRun{std::move(*exchanged), raw_times(event_handle(again)), seconds.count()};
    } catch (const Error&) {   // a probe that fails is an answer, for a while
        probing.failed = true;
        return std::nullopt;
    }
}

// The square of 1 + 2^-26 has 53 significant bits: all that a double holds, far more than a float.
bool probe_fp64(Probing& probing) {
    if (!probing.context.info().has("fp64")) return false;
    const auto number = std::bit_cast<std::uint64_t>(1.0 + 0x1p-26);
    const auto result =
        run(probing, "probe/fp64.cl", {}, {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)}, 1);
    if (!result) return false;
    const std::uint64_t square = result->words[0] | std::uint64_t{result->words[1]} << 32;
    return std::bit_cast<double>(square) == 1.0 + 0x1p-25 + 0x1p-52;
}

// 64 work-items each add 2^31 + 1: the sum carries into the upper word.
bool probe_int64_atomics(Probing& probing) {
    if (!probing.context.info().has("int64_atomics")) return false;
    const auto result = run(probing, "probe/int64_atomics.cl", {}, {0, 0}, 64);
    return result && (result->words[0] | std::uint64_t{result->words[1]} << 32) == 64 * std::uint64_t{0x80000001};
}

bool probe_inline_ptx(Probing& probing) {
    if (!is_nvidia(probing.context.info())) return false;
    const auto result = run(probing, "probe/inline_ptx.cl", {}, {0x12345678u, 0}, 1);
    return result && result->words[1] == 0x1E6A2C48u;   // the bits of the first word in reverse
}

bool probe_grid_exchange(Probing& probing, const Capabilities& found) {
    if (!found.inline_ptx) return false;
    const std::size_t groups = probing.context.info().compute_units;
    const auto result = run(probing, "probe/grid_exchange.cl", {}, std::vector<std::uint32_t>(2 * groups + 1), 256, groups);
    return result && result->words.back() == 0;
}

// Two launches that depend on each other, recorded once and replayed twice: x -> 3x + 1 four times. A launch of the same kernel
// on other words comes between.
bool probe_recordings(Probing& probing) {
    ClContext& context = probing.context;
    if (!has_command_buffers(context)) return false;
    constexpr const char* file = "probe/recording.cl";
    constexpr std::uint32_t first = 5, after_four = 445;
    try {
        const auto kernel = context.build({file, {}})->kernel("probe");
        ClQueue queue(std::static_pointer_cast<ClContext>(context.shared_from_this()), true);
        constexpr std::size_t items = 256, bytes = items * sizeof first;
        const Buffer data = context.allocate(bytes), elsewhere = context.allocate(bytes);
        const std::array arguments{Arg(data)}, others{Arg(elsewhere)};
        const Launch launch{.kernel = *kernel, .groups = {4}, .local = {items / 4}, .args = arguments, .step = file};
        Launch between = launch;
        between.args = others;
        const std::array chain{launch, launch};
        const auto recording = make_command_buffer(context, queue.handle(), chain);
        if (!recording) return false;
        InFlight<std::vector<std::uint32_t>> words(queue, std::vector<std::uint32_t>(items, first));
        InFlight<Buffer> held(queue, data), other(queue, elsewhere);
        queue.write(data, 0, words->data(), bytes, file);
        for (int i = 0; i < 2; ++i) {
            queue.replay(*recording, file, true);
            queue.launch(between);
        }
        queue.read(data, 0, words->data(), bytes, file).wait();
        words.landed();
        held.landed();
        other.landed();
        return std::all_of(words->begin(), words->end(), [](std::uint32_t word) { return word == after_four; });
    } catch (const Error&) {
        probing.failed = true;
        return false;
    }
}

// The driver's word, confirmed by an exchange through local memory without barriers.
int probe_warp_width(Probing& probing) {
    const int width = reported_warp_width(probing.context.device(), probing.context.info());
    const bool is_cpu = probing.context.info().type == DeviceType::cpu;
    if (width <= 1 || is_cpu || !std::has_single_bit(static_cast<unsigned>(width))) return 1;
    const std::size_t items = static_cast<std::size_t>(width) * 4;
    const auto result = run(probing, "probe/lockstep.cl", Defines().add("WIDTH", width).add("ITEMS", 4 * width),
                            std::vector<std::uint32_t>(items, 1), items);
    const bool holds =
        result && std::all_of(result->words.begin(), result->words.end(), [](std::uint32_t errors) { return errors == 0; });
    return holds ? width : 1;
}

// What the long loop of event_times.cl makes of 1.
std::uint32_t after_long_loop() {
    std::uint32_t value = 1;
    for (int i = 0; i < 100000; ++i) value = value * 1664525u + 1013904223u;
    return value;
}

// Whether a long loop comes to its end. And whether profiling events measure: the time of a long kernel must be a fair part of
// what a clock beside it says. rusticl's start and end lie 0 or 1 ns apart whatever ran. Several attempts, since a busy machine
// stretches the clock's.
void probe_long_kernel(Probing& probing, Capabilities& found) {
    for (int attempt = 0; attempt < 5 && !found.event_times; ++attempt) {
        const auto result = run(probing, "probe/event_times.cl", {}, {1}, 1);
        if (!result) return;
        found.cuts_loops = result->words[0] != after_long_loop();
        if (!result->times) return;
        const double measured = result->times->seconds();
        found.event_times = measured > 0.1 * result->seconds && measured < 1.5 * result->seconds;
    }
}

std::string cache_key(const ClContext& context) {
    std::string sources;
    for (const char* file : files) sources += flatten(file).text;
    return "capabilities-" + program_key(sources, context.info().uuid, context.info());
}

Json to_json(const Capabilities& found) {
    return {{"fp64", found.fp64},     {"int64_atomics", found.int64_atomics}, {"inline_ptx", found.inline_ptx},
            {"images", found.images}, {"event_times", found.event_times},     {"warp_width", found.warp_width},
            {"grid_exchange", found.grid_exchange}, {"cuts_loops", found.cuts_loops},
            {"recordings", found.recordings}};
}

struct Kept {
    Capabilities capabilities;
    std::optional<Failure> failure;   // where a probe failed
};

std::optional<Kept> from_json(const std::vector<unsigned char>& text) {
    const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!json.is_object()) return std::nullopt;
    try {
        Capabilities found;
        found.fp64 = json.at("fp64").get<bool>();
        found.int64_atomics = json.at("int64_atomics").get<bool>();
        found.inline_ptx = json.at("inline_ptx").get<bool>();
        found.images = json.at("images").get<bool>();
        found.event_times = json.at("event_times").get<bool>();
        found.warp_width = json.at("warp_width").get<int>();
        found.grid_exchange = json.at("grid_exchange").get<bool>();
        found.cuts_loops = json.at("cuts_loops").get<bool>();
        found.recordings = json.at("recordings").get<bool>();
        const Json& failed = json.at("failure");   // an entry that does not say so is of a version that believed all failures
        auto failure = failure_from(failed);
        if (!failed.is_null() && !failure) return std::nullopt;
        return Kept{found, std::move(failure)};
    } catch (const Json::exception&) {   // written by something else: probe again
        return std::nullopt;
    }
}

}  // namespace

bool is_nvidia(const DeviceInfo& info) {
    return contains_nocase(info.vendor, "nvidia") && contains_nocase(info.platform, "nvidia");
}

Capabilities probe(ClContext& context) {
    const std::string key = cache_key(context);
    ProgramCache* const cache = context.cache();
    std::optional<Kept> kept;
    if (cache != nullptr) kept = from_json(cache->load(key));
    if (kept && (!kept->failure || kept->failure->holds())) return kept->capabilities;

    Capabilities found;
    Probing probing{context};
    found.images = context.info().images;
    found.fp64 = probe_fp64(probing);
    found.int64_atomics = probe_int64_atomics(probing);
    found.inline_ptx = probe_inline_ptx(probing);
    found.grid_exchange = probe_grid_exchange(probing, found);
    found.warp_width = probe_warp_width(probing);
    probe_long_kernel(probing, found);
    found.recordings = probe_recordings(probing);
    if (cache != nullptr) {
        Json json = to_json(found);
        json["failure"] = probing.failed ? failure_now(kept ? kept->failure : std::nullopt).to_json() : Json();
        const std::string text = json.dump();
        cache->store(key, std::vector<unsigned char>(text.begin(), text.end()));
    }
    return found;
}

}  // namespace parallax::host::opencl
