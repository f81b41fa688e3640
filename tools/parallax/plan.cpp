// parallax plan: what a job would do, without running it.
#include "commands.hpp"
#include "console.hpp"
#include "limits.hpp"
#include "modes/run.hpp"
#include "ranks.hpp"
#include "peers/peers.hpp"
#include "stream/stream.hpp"
#include "stream_run.hpp"
#include "support/text.hpp"
#include "terminal.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace parallax::cli {

namespace {

void print(const Json& plan) {
    if (!plan.contains("ranks")) say("device: {}\n\n", plan["device"]["name"].get<std::string>());
    say("arrays\n");
    for (const Json& array : plan["arrays"]) {
        say("  {:<14} {:<32} {:>12}  from {}\n", array["name"].get<std::string>(), array["array"].get<std::string>(),
            human_bytes(array["bytes"].get<double>()), array["from"].get<std::string>());
        if (!array.contains("warnings")) continue;   // steps have their own
        for (const Json& warning : array["warnings"]) say("    warning: {}\n", warning.get<std::string>());
    }
    say("\nsteps\n");
    for (const Json& step : plan["steps"]) {
        say("  {}: {} by {}, policy {}\n", step["id"].get<std::string>(), step["run"].get<std::string>(),
            step["variant"].get<std::string>(), text_of(step["policy"], -1));
        for (const Json& refusal : step["refusals"]) {
            say("    not {}: {}\n", refusal["variant"].get<std::string>(), refusal["reason"].get<std::string>());
        }
        for (const Json& warning : step["warnings"]) say("    warning: {}\n", warning.get<std::string>());
        for (const Json& kernel : step["kernels"])
            say("    kernel {} of {}\n", kernel["kernel"].get<std::string>(), kernel["file"].get<std::string>());
        if (const Json& tiles = step["tiles"]; !tiles.is_null()) {
            say("    in {} tiles of {} along {}, {} more on both sides, {} of arrays each\n", tiles["count"].get<std::int64_t>(),
                tiles["size"].get<std::int64_t>(), tiles["axis"].get<std::string>(), tiles["halo"].get<std::int64_t>(),
                human_bytes(step["tile_bytes"].get<double>()));
        }
        if (step["slab"] != 0) say("    in slabs of {} slices\n", step["slab"].get<std::int64_t>());
        say("    workspace {}, kept {}\n", human_bytes(step["workspace_bytes"].get<double>()),
            human_bytes(step["state_bytes"].get<double>()));
    }
    if (plan.contains("series")) {
        const Json& series = plan["series"];
        say("\nseries\n  {} items, from {} to {}\n  {} in memory; {} readers, {} writers\n  at most {} of host memory{}\n  "
            "manifest {}\n",
            series["items"].get<std::size_t>(), series["first"].get<std::string>(), series["last"].get<std::string>(),
            series["items_in_memory"].get<int>(), series["readers"].get<int>(), series["writers"].get<int>(),
            human_bytes(series["host_bytes"].get<double>()),
            series["disk_bytes"] == 0
                ? ""
                : fmt::format(", {} on disk while it runs", human_bytes(series["disk_bytes"].get<double>())),
            series["manifest"].get<std::string>());
        for (const Json& device : series["devices"]) {
            say("  device {}: {} items in flight, at most {} of its memory\n", device["device"]["name"].get<std::string>(),
                device["in_flight"].get<int>(), human_bytes(device["upper_bound_bytes"].get<double>()));
        }
    }
    if (plan.contains("ranks")) {
        say("\ndevices together\n");
        for (const Json& rank : plan["ranks"]) {
            say("  rank {:<3} {}: {}, at most {} of its memory\n", rank["rank"].get<int>(),
                rank["device"]["name"].get<std::string>(), rank["share"].get<std::string>(),
                human_bytes(rank["upper_bound_bytes"].get<double>()));
        }
        return;
    }
    if (plan["spills"]) {
        say("\nmore than fits at once ({} of arrays, {} may be used): arrays wait in host memory, step by step\nat most {} of "
            "device memory at any one time, {} of the host's\n",
            human_bytes(plan["array_bytes"].get<double>()), human_bytes(plan["budget_bytes"].get<double>()),
            human_bytes(plan["upper_bound_bytes"].get<double>()), human_bytes(plan["host_bytes"].get<double>()));
        return;
    }
    say("\nat most {} of device memory: arrays {}, workspace {}, kept by plans {}\n",
        human_bytes(plan["upper_bound_bytes"].get<double>()), human_bytes(plan["array_bytes"].get<double>()),
        human_bytes(plan["workspace_bytes"].get<double>()), human_bytes(plan["state_bytes"].get<double>()));
    if (!plan.contains("series")) say("at most {} of host memory\n", human_bytes(plan["host_bytes"].get<double>()));
}

void print_plan(const Enforced& limits, const Json& plan, bool json) {
    if (limits.time_is_up()) limits.tell_time();
    if (json) fmt::print("{}\n", text_of(plan));
    else print(plan);
}

int plan_within(const Enforced& limits, const JobOptions& options, bool json) {
    const engine::distributed::Launched launched = engine::distributed::launched();
    const engine::AskedOfSeries asked{.manifest = !options.manifest.empty()};
    if (launched.processes > 1) {
        const RankRules rules{true, [&](const engine::Prepared& prepared) { engine::refuse_without_series(prepared.job, asked); }};
        return work_as_rank(options, launched, rules, [&](RankWork& work, engine::distributed::Communicator& ranks) {
            if (const auto plan = engine::distributed::describe_rank(work.job.prepared, *work.job.engine, ranks))
                print_plan(limits, *plan, json);
        });
    }
    const engine::Registry registry = engine::registry_with_peers();
    engine::Job parsed = options.parse(registry);
    if (engine::stream::is_stream(parsed)) {
        refuse_folders(options);
        engine::stream::check(parsed);
        const engine::Prepared prepared = engine::stream::prepare(parsed, options.locations(), stdin_is_terminal() ? -1 : 0);
        const auto engines = engine::open_devices(parsed, registry, host::ProgramCache::open());
        print_plan(limits, engine::describe_item(prepared, *engines.front()), json);
        tell("for one frame of standard input; `parallax run` has several at once (--in-flight)\n");
        return 0;
    }
    engine::refuse_without_series(parsed, asked);
    // Nothing is written, so nothing is in the way.
    const engine::PreparedJob job(std::move(parsed), options.locations(), {manifest_of(options), true, false, {}});
    const auto engines = engine::open_devices(job.job(), registry, host::ProgramCache::open());
    if (job.series() != nullptr)
        for (const std::string& warning : job.series()->items.warnings) spdlog::warn("{}", host::printable_line(warning));
    print_plan(limits, engine::describe_plan(job, engine::pointers(engines)), json);
    return 0;
}

int plan(const JobOptions& options, bool json) {
    const Enforced limits(Limits::from(options.limit));
    return limits.told([&] { return plan_within(limits, options, json); });
}

}  // namespace

void add_plan(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("plan", "Show a job's arrays, memory, variants and kernels; runs nothing");
    auto options = std::make_shared<JobOptions>();
    auto json = std::make_shared<bool>(false);
    options->add_to(*sub);
    sub->add_flag("--json", *json, "Print JSON");
    sub->callback([options, json, &command] {
        command.origin = options->file;
        command.run = [options, json] { return plan(*options, *json); };
    });
}

}  // namespace parallax::cli
