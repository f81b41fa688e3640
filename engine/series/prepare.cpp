#include "io/transaction.hpp"
#include "series/series.hpp"
#include "series/statistic.hpp"

#include "job/endings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

std::string how_to_replace(const SeriesOptions& options) {
    return Manifest::exists(options.manifest) ? "--resume goes on with the series, --overwrite does it again"
                                              : "use --overwrite to replace them, or --out for another folder";
}

/// Every path that every item writes: below --out, free, and of one item only.
void check_targets(const PreparedSeries& series) {
    const bool may_exist = series.options.overwrite || series.options.resume;
    std::unordered_map<std::string, std::size_t> taken;
    std::size_t existing = 0;
    fs::path first;
    const std::string* pointer = nullptr;
    std::error_code ignored;
    for (std::size_t i = 0; i < series.items.size(); ++i) {
        const Job job = job_of(series.job, series.items, i);
        for (const OutputSpec& output : job.outputs) {
            if (output.gathered) continue;
            const fs::path path = resolve_output(output.file, series.where, output.pointer);
            io::recover(path.parent_path());
            const auto [other, fresh] = taken.emplace(to_utf8(path), i);
            if (!fresh) {
                throw ConfigError(output.pointer,
                                  fmt::format("the file {} for {} and for {}", to_utf8(path), series.items.name(other->second),
                                              series.items.name(i)),
                                  "a file of its own for each item",
                                  fmt::format("{{{}.index}} differs for each", series.items.for_each.sources.front().variable));
            }
            const bool mine = i % series.options.shard.count == series.options.shard.number - 1;
            if (may_exist || !mine || !fs::exists(path, ignored)) continue;
            if (existing++ == 0)
                first = path, pointer = &series.job.outputs[static_cast<std::size_t>(&output - job.outputs.data())].pointer;
        }
    }
    for (const auto& [name, path] : series.gathered) {
        const auto output = std::find_if(series.job.outputs.begin(), series.job.outputs.end(),
                                         [&name = name](const OutputSpec& o) { return o.name == name; });
        if (taken.count(to_utf8(path)))
            throw ConfigError(output->pointer, fmt::format("the file {}, which an item writes", to_utf8(path)),
                              "a file of its own");
        if (may_exist || series.options.shard.count > 1 || !fs::exists(path, ignored)) continue;
        if (existing++ == 0) first = path, pointer = &output->pointer;
    }
    if (existing == 0) return;
    throw ConfigError(*pointer,
                      existing == 1 ? fmt::format("the existing file {}", to_utf8(first))
                                    : fmt::format("{} and {} more that exist", to_utf8(first), existing - 1),
                      "no files of these names", how_to_replace(series.options));
}

/// No output of any item is an input of any item.
void check_inputs_kept(const PreparedSeries& series) {
    std::unordered_map<std::string, const char*> read;
    const auto key = [](const fs::path& path) { return to_utf8(fs::absolute(path).lexically_normal()); };
    for (const Item& item : series.items.list) {
        for (const Element& element : item) read.emplace(key(element.file), "an item");
    }
    for (const auto& [name, input] : series.shared) {
        for (const fs::path& file : input.files) read.emplace(key(file), "an input");
    }
    for (std::size_t i = 0; i < series.items.size(); ++i) {
        for (const OutputSpec& output : job_of(series.job, series.items, i).outputs) {
            if (!output.gathered && read.count(key(resolve_output(output.file, series.where, output.pointer)))) {
                throw ConfigError(output.pointer, fmt::format("{}, which the series reads", output.file),
                                  "a file that the job does not read");
            }
        }
    }
    for (const auto& [name, path] : series.gathered) {
        if (read.count(key(path)))
            throw ConfigError("/outputs/" + name, fmt::format("{}, which the series reads", to_utf8(path)),
                              "a file that the job does not read");
    }
}

void check_gathered(const PreparedSeries& series, const OutputSpec& output, const fs::path& path) {
    const fs::path folder = writable_ancestor(path, output.pointer);
    if (output.form != OutputForm::array) return;
    const ArrayDesc& desc = series.sample.resolved.desc(output.source);
    if (is_complex(desc.type) && !is_stack(output.combine))
        throw ConfigError(output.pointer, desc.describe(), "an array of real numbers to combine");
    check_format(output, folder, combined(output.combine, desc, static_cast<std::int64_t>(series.items.size())));
}

Prepared prepare_sample(const PreparedSeries& series) {
    for (std::size_t i = 0;; ++i) {
        try {
            return series.prepare_item(i);
        } catch (const Error&) {   // one that cannot be read may stand among others that can
            if (!series.items.for_each.continue_on_error || i + 1 >= series.items.size()) throw;
        }
    }
}

}  // namespace

Prepared PreparedSeries::prepare_item(std::size_t number) const {
    // What another shard has to do it may have done: as a sample its items are as good as one's own.
    const bool mine = number % options.shard.count == options.shard.number - 1;
    const bool may_exist = options.overwrite || options.resume || !mine;
    return prepare(job_of(job, items, number), where, may_exist, shared);
}

PreparedSeries prepare_series(Job job, const Locations& where, const SeriesOptions& options) {
    if (!job.for_each)
        throw UnsupportedError("a job without for_each is no series", {"prepare() and run() of job/runner.hpp run it"});
    PreparedSeries series;
    series.job = std::move(job);
    series.where = absolute(where);
    series.options = options;
    series.items = find_items(series.job, series.where);
    for (const InputSpec& input : series.job.inputs) {
        if (!input.each) series.shared.emplace(input.name, prepare_input(input, series.where));
    }
    for (const OutputSpec& output : series.job.outputs) {
        if (!output.of_series()) continue;
        const fs::path path = resolve_output(output.file, where, output.pointer);
        for (const auto& [name, other] : series.gathered) {
            const bool both_tables = output.form == OutputForm::table && other == path;
            if (other == path && !both_tables)
                throw ConfigError(output.pointer, fmt::format("the file {} a second time", to_utf8(path)), "a file of its own");
        }
        series.gathered.emplace(output.name, path);
    }
    check_targets(series);
    check_inputs_kept(series);
    series.sample = prepare_sample(series);
    for (const OutputSpec& output : series.job.outputs) {
        if (output.of_series()) check_gathered(series, output, series.gathered.at(output.name));
    }
    return series;
}

}  // namespace parallax::engine::series
