// parallax plan: what a job would do, without running it.
#include "commands.hpp"
#include "console.hpp"
#include "io/transaction.hpp"
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

#include <string>
#include <utility>

namespace parallax::cli {

namespace {

/// For people.
std::string in_words(const Json& plan) {
    std::string words;
    const auto add = [&]<class... T>(fmt::format_string<T...> text, T&&... values) {
        words += lines_of(text, std::forward<T>(values)...);
    };
    if (!plan.contains("ranks")) add("device: {}\n\n", plan["device"]["name"].get<std::string>());
    add("arrays\n");
    for (const Json& array : plan["arrays"]) {
        add("  {:<14} {:<32} {:>12}  from {}\n", array["name"].get<std::string>(), array["array"].get<std::string>(),
            human_bytes(array["bytes"].get<double>()), array["from"].get<std::string>());
        if (!array.contains("warnings")) continue;   // steps have their own
        for (const Json& warning : array["warnings"]) add("    warning: {}\n", warning.get<std::string>());
    }
    add("\nsteps\n");
    for (const Json& step : plan["steps"]) {
        add("  {}: {} by {}, policy {}\n", step["id"].get<std::string>(), step["run"].get<std::string>(),
            step["variant"].get<std::string>(), text_of(step["policy"], -1));
        for (const Json& refusal : step["refusals"]) {
            add("    not {}: {}\n", refusal["variant"].get<std::string>(), refusal["reason"].get<std::string>());
        }
        for (const Json& warning : step["warnings"]) add("    warning: {}\n", warning.get<std::string>());
        for (const Json& kernel : step["kernels"])
            add("    kernel {} of {}\n", kernel["kernel"].get<std::string>(), kernel["file"].get<std::string>());
        if (const Json& tiles = step["tiles"]; !tiles.is_null()) {
            add("    in {} tiles of {} along {}, {} more on both sides, {} of arrays each\n", tiles["count"].get<std::int64_t>(),
                tiles["size"].get<std::int64_t>(), tiles["axis"].get<std::string>(), tiles["halo"].get<std::int64_t>(),
                human_bytes(step["tile_bytes"].get<double>()));
        }
        if (step["slab"] != 0) add("    in slabs of {} slices\n", step["slab"].get<std::int64_t>());
        add("    workspace {}, kept {}\n", human_bytes(step["workspace_bytes"].get<double>()),
            human_bytes(step["state_bytes"].get<double>()));
    }
    if (plan.contains("series")) {
        const Json& series = plan["series"];
        add("\nseries\n  {} items, from {} to {}\n  {} in memory; {} readers, {} writers\n  at most {} of host memory{}\n  "
            "manifest {}\n",
            series["items"].get<std::size_t>(), series["first"].get<std::string>(), series["last"].get<std::string>(),
            series["items_in_memory"].get<int>(), series["readers"].get<int>(), series["writers"].get<int>(),
            human_bytes(series["host_bytes"].get<double>()),
            series["disk_bytes"] == 0
                ? ""
                : fmt::format(", {} on disk while it runs", human_bytes(series["disk_bytes"].get<double>())),
            series["manifest"].get<std::string>());
        for (const Json& device : series["devices"]) {
            add("  device {}: {} items in flight, at most {} of its memory\n", device["device"]["name"].get<std::string>(),
                device["in_flight"].get<int>(), human_bytes(device["upper_bound_bytes"].get<double>()));
        }
    }
    if (plan.contains("ranks")) {
        add("\ndevices together\n");
        for (const Json& rank : plan["ranks"]) {
            add("  rank {:<3} {}: {}, at most {} of its memory\n", rank["rank"].get<int>(),
                rank["device"]["name"].get<std::string>(), rank["share"].get<std::string>(),
                human_bytes(rank["upper_bound_bytes"].get<double>()));
        }
        return words;
    }
    if (plan["spills"]) {
        add("\nmore than fits at once ({} of arrays, {} may be used): arrays wait in host memory, step by step\nat most {} of "
            "device memory at any one time, {} of the host's\n",
            human_bytes(plan["array_bytes"].get<double>()), human_bytes(plan["budget_bytes"].get<double>()),
            human_bytes(plan["upper_bound_bytes"].get<double>()), human_bytes(plan["host_bytes"].get<double>()));
        return words;
    }
    add("\nat most {} of device memory: arrays {}, workspace {}, kept by plans {}\n",
        human_bytes(plan["upper_bound_bytes"].get<double>()), human_bytes(plan["array_bytes"].get<double>()),
        human_bytes(plan["workspace_bytes"].get<double>()), human_bytes(plan["state_bytes"].get<double>()));
    if (!plan.contains("series")) add("at most {} of host memory\n", human_bytes(plan["host_bytes"].get<double>()));
    return words;
}

/// As a whole or not at all: before the limits have been asked nothing of it is printed.
void print_plan(const Enforced& limits, const Json& plan, bool json) {
    const std::string text = json ? text_of(plan) + '\n' : in_words(plan);
    io::Transaction::count("the plan for standard output", text.size());
    if (limits.time_is_up()) limits.tell_time();
    fmt::print("{}", text);
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
