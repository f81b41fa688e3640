// parallax devices: what there is, and why a rule takes one device and not another.
#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "job/runner.hpp"
#include "parallax/host/enumerate.hpp"
#include "support/text.hpp"
#include "support/warnings.hpp"

namespace parallax::cli {

namespace {

Json to_json(const std::vector<host::PlatformProblem>& problems) {
    Json list = Json::array();
    for (const host::PlatformProblem& problem : problems) {
        list.push_back({{"platform", problem.platform}, {"reason", problem.reason}, {"hint", problem.hint}});
    }
    return list;
}

void print_problems(const host::Inventory& inventory) {
    for (const host::PlatformProblem& problem : inventory.problems) {
        tell("{}\n", host::printable(fmt::format("{}: {}{}", problem.platform, problem.reason,
                                                 problem.hint.empty() ? "" : ". " + problem.hint)));
    }
}

int list(const host::Inventory& inventory, bool json) {
    if (json) {
        Json devices = Json::array();
        for (const auto& device : inventory.devices) devices.push_back(engine::to_json(device->info()));
        fmt::print("{}\n", text_of({{"devices", std::move(devices)}, {"problems", to_json(inventory.problems)}}));
        return 0;
    }
    for (const auto& device : inventory.devices) {
        const host::DeviceInfo& info = device->info();
        fmt::print("{:>2}  {:<12} {:<7} {}\n", info.index, to_string(info.type), to_string(info.backend), info.name);
        fmt::print("    {}, driver {}; {} units, {} of memory, {} local{}\n", info.platform, info.driver, info.compute_units,
                   human_bytes(static_cast<double>(info.global_memory)), human_bytes(static_cast<double>(info.local_memory)),
                   info.uuid.empty() ? "" : "; uuid " + info.uuid);
    }
    print_problems(inventory);
    return 0;
}

int explain(const host::Inventory& inventory, const std::string& spec, bool json) {
    const host::DeviceSelector selector = device_from(spec);
    const host::Selection selection = selector.explain(inventory);
    const int status = selection.device ? 0 : 1;
    if (json) {
        Json verdicts = Json::array();
        for (const host::DeviceVerdict& verdict : selection.verdicts) {
            const host::DeviceInfo& info = inventory.devices[static_cast<std::size_t>(verdict.device)]->info();
            verdicts.push_back({{"index", info.index},
                                {"name", info.name},
                                {"platform", info.platform},
                                {"chosen", verdict.chosen},
                                {"reasons", verdict.reasons}});
        }
        const Json chosen = selection.device ? Json(selection.device->info().index) : Json(nullptr);
        fmt::print("{}\n", text_of({{"rules", selector.to_json()},
                                    {"chosen", chosen},
                                    {"rule", selection.rule},
                                    {"devices", std::move(verdicts)},
                                    {"problems", to_json(inventory.problems)}}));
        return status;
    }
    for (const host::DeviceVerdict& verdict : selection.verdicts) {
        const host::DeviceInfo& info = inventory.devices[static_cast<std::size_t>(verdict.device)]->info();
        fmt::print("{:>2}  {} ({}): {}\n", info.index, info.name, info.platform, verdict.chosen ? "chosen" : "not chosen");
        for (const std::string& reason : verdict.reasons) fmt::print("      {}\n", reason);
    }
    print_problems(inventory);
    if (!selection.device)
        tell("no device meets the rules{}\n",
             host::falls_back(selector, inventory) ? "; for want of any other the native device is taken" : "");
    return status;
}

}  // namespace

void add_devices(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("devices", "List the devices, or explain a choice among them");
    struct Options { std::string spec; bool json = false; };
    auto options = std::make_shared<Options>();
    sub->add_option("--explain", options->spec, "Rules to explain: a .json file, or what --device takes");
    sub->add_flag("--json", options->json, "Print JSON");
    sub->callback([sub, options, &command] {
        command.origin = options->spec;
        command.run = [options, explained = sub->count("--explain") > 0] {
            host::on_warning({});   // what is wrong with drivers stands in the list
            const host::Inventory inventory = host::enumerate();
            return explained ? explain(inventory, options->spec, options->json) : list(inventory, options->json);
        };
    });
}

}  // namespace parallax::cli
