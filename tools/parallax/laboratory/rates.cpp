// parallax rates: what devices reach at their best.
#include "parallax/host/enumerate.hpp"
#include "parallax/host/program.hpp"
#include "timing/rates.hpp"

#include "console.hpp"
#include "laboratory/commands.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

namespace parallax::cli {

namespace {

struct RatesOptions {
    std::string device;
    bool quick = false, json = false;
};

Json rates_of(const host::Device& device, bool quick) {
    const auto context = device.open({host::ProgramCache::open()});
    const auto queue = context->create_queue();
    Json rates = engine::compare::measure_rates(*context, *queue, quick).to_json();
    rates.update(engine::compare::measure_roofs(*context, *queue, quick).to_json());
    return rates;
}

std::string size_of(double bytes) {
    return bytes < 1024 * 1024 ? fmt::format("{:g} KiB", bytes / 1024) : fmt::format("{:g} MiB", bytes / 1024 / 1024);
}

void print_rates(const host::DeviceInfo& info, const Json& rates) {
    const auto line = [](const std::string& what, const Json& value, const char* unit) {
        if (value.is_number() && value.get<double>() > 0)
            fmt::print("  {:<34} {:>10.4g} {}\n", what, value.get<double>(), unit);
        else
            fmt::print("  {:<34} {:>10}\n", what, "-");
    };
    fmt::print("{} ({}, driver {})\n", info.name, info.platform, info.driver);
    line("copy, read and written", rates["copy_gbs"], "GB/s");
    const Json& read = rates["read_gbs"];
    for (const auto& [bytes, rate] : read.items()) line("reads of " + size_of(host::leading_number(bytes).value_or(host::LeadingNumber{}).number), rate, "GB/s");
    line("reads of local memory", rates["local_gbs"], "GB/s");
    line("multiply-adds, f32", rates["peak_gflops"], "GFLOP/s");
    line("multiply-adds, f64", rates["peak_f64_gflops"], "GFLOP/s");
    line("multiply-adds, i32", rates["peak_i32_gops"], "GOP/s");
    line("a read that is waited for, 32 KiB", rates["cache_latency_ns"], "ns");
    line("a read that is waited for, 256 MiB", rates["memory_latency_ns"], "ns");
    line("an empty launch", rates["launch_us"], "us");
    line("upload, pinned", rates["upload_gbs"], "GB/s");
    line("download, pinned", rates["download_gbs"], "GB/s");
}

int show_rates(const RatesOptions& options) {
    const host::DeviceSelector wanted = options.device.empty() ? host::DeviceSelector() : device_from(options.device);
    const host::Inventory inventory = host::enumerate(wanted, !options.device.empty());
    Json all = Json::array();
    bool failed = false;
    for (const auto& device : inventory.devices) {
        if (!options.device.empty() && wanted.explain({{device}, {}}).device == nullptr) continue;
        const host::DeviceInfo& info = device->info();
        Json one{
            {"device", info.name}, {"backend", to_string(info.backend)}, {"platform", info.platform}, {"driver", info.driver}};
        try {
            one["rates"] = rates_of(*device, options.quick);
            if (!options.json) print_rates(info, one["rates"]);
        } catch (const Error& error) {   // of one device: the others are told all the same
            one["problem"] = error.what();
            failed = true;
            tell("{}: {}\n", info.name, error.what());
        }
        all.push_back(std::move(one));
    }
    if (all.empty()) select_device(wanted);   // throws with the reason for each
    if (options.json) fmt::print("{}\n", text_of(all));
    return failed ? 1 : 0;
}

}  // namespace

void add_rates(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand(
        "rates", "Measure what devices reach: copy, caches, local memory, arithmetic, latency, launch, transfers");
    auto options = std::make_shared<RatesOptions>();
    sub->add_option("--device", options->device, "Only these: gpu, cpu, an index, part of a name, JSON, or a .json file");
    sub->add_flag("--quick", options->quick, "Small arrays and single runs: a look, not a measurement");
    sub->add_flag("--json", options->json, "Print JSON");
    sub->callback([options, &command] { command.run = [options] { return show_rates(*options); }; });
}

}  // namespace parallax::cli
