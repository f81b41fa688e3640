// parallax series: what is there of a series.
#include "series/check.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "job/paths.hpp"

#include <fmt/format.h>

namespace parallax::cli {

namespace {

struct CheckOptions {
    std::string manifest;
    bool hashes = false, json = false;
};

int check(const CheckOptions& options) {
    const engine::series::Check found = engine::series::check(engine::path_from(options.manifest), options.hashes);
    if (options.json) {
        fmt::print("{}\n", text_of(to_json(found)));
    } else {
        fmt::print("{} items done, {} failed\n", found.done, found.failed);
        if (found.gone > 0) fmt::print("{} items failed, and their files are no longer there\n", found.gone);
        if (found.makes_of_all && !found.made)
            fmt::print("what is made of all items is not recorded: not made yet, or by an earlier version\n");
        if (found.damaged_lines > 0) fmt::print("{} damaged records, which do not count\n", found.damaged_lines);
        if (!found.moved_from.empty()) say("recorded in {}: the files beside this folder are looked at\n", found.moved_from);
        for (const std::string& problem : found.problems) say("{}\n", problem);
        const bool unfinished = found.makes_of_all && !found.made;   // a shard may not have been at work at all
        fmt::print("{}\n", !found.whole() ? "not whole" : unfinished ? "whole, as far as it is recorded" : "whole");
    }
    return found.whole() ? 0 : 1;
}

}  // namespace

void add_series(CLI::App& app, Command& command) {
    CLI::App* series = app.add_subcommand("series", "Look at what is there of a series")->require_subcommand(1);
    CLI::App* sub =
        series->add_subcommand("check", "Say which items are recorded, and whether their outputs are as they were written");
    auto options = std::make_shared<CheckOptions>();
    sub->add_option("MANIFEST", options->manifest, "JOB.series below --out, or what --manifest named")->required();
    sub->add_flag("--hashes", options->hashes, "Read all outputs, instead of trusting their sizes and times");
    sub->add_flag("--json", options->json, "As JSON");
    sub->footer("Exit status: 0 all recorded items are done and whole, 1 not, 2 the request was wrong.");
    sub->callback([options, &command] { command.run = [options] { return check(*options); }; });
}

}  // namespace parallax::cli
