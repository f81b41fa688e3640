#include "series/settle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "io/io.hpp"
#include "job/load.hpp"
#include "series/checked.hpp"
#include "series/first_items.hpp"
#include "series/reads.hpp"
#include "series/recorded_files.hpp"
#include "support/octets.hpp"
#include "exec/resident.hpp"
#include "job/work.hpp"

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// The job of one item as far as the step, with that one record.
Job job_for(const PreparedSeries& series, std::size_t step, std::size_t item) {
    Job job = job_of(series.job, series.items, item);
    const std::string& port = job.steps[step].algorithm->finding->record;
    job.steps.resize(step + 1);
    job.steps[step].outputs = {port};
    for (InputSpec& input : job.inputs) {
        if (input.running == 0) continue;
        input.running = 0;  // the item by itself
        input.combine.clear();
    }
    job.outputs.clear();   // what is looked at is the record of the step
    return job;
}

/// What the step looks in, where that has been read from files; null: it has not.
const HostArray* array_for(const DeviceWork& work, std::size_t step) {
    const Pipeline& pipeline = work.pipeline->pipeline;
    const Finding& finding = *pipeline.steps[step].algorithm->finding;
    const auto source = pipeline.steps[step].inputs.find(finding.input);
    if (!finding.strength || source == pipeline.steps[step].inputs.end() || source->second.step) return nullptr;
    const HostArray& array = work.inputs[pipeline.input_index(source->second.port)];
    return array.memory ? &array : nullptr;
}

/// The files of the item; those of inputs that all items share stand in the header of the records.
Json files_of(const Job& job, const Work& work) {
    std::vector<FileState> files;
    for (const InputReport& report : work.input_reports) {
        const auto is_it = [&](const InputSpec& input) { return input.each && input.name == report.name; };
        if (std::none_of(job.inputs.begin(), job.inputs.end(), is_it)) continue;
        for (const FileReport& file : report.files) files.push_back(state_of_input(file));
    }
    return to_json(files);
}

/// Whether what an item reads now are those files, one for one: of a folder that was moved they are where they were beside each other.
/// Nothing: it cannot be looked at.
std::optional<bool> reads_alike(const PreparedSeries& series, std::size_t item, const std::vector<FileState>& recorded) {
    std::size_t next = 0;
    const auto is_next = [&](const PreparedInput& input, const fs::path& file) {
        if (next == recorded.size()) return false;
        const FileState& then = recorded[next++];
        return file.filename() == path_from(then.path).filename() && unchanged_at(input.open(file).path(), then);
    };
    try {
        for (const InputSpec& spec : job_of(series.job, series.items, item).inputs) {
            if (!spec.each) continue;
            const PreparedInput input = prepare_input(spec, series.where);
            for (std::size_t i = 0; i < input.files.size(); ++i) {
                const std::vector<io::FilePart>& parts = input.infos[i].parts;
                std::error_code unknown;
                const bool folder = !parts.empty() && fs::is_directory(input.open(input.files[i]).path(), unknown);   // of which its parts are read
                if (!folder && !is_next(input, input.files[i])) return false;
                for (const io::FilePart& part : parts)
                    if (!is_next(input, part.path)) return false;
            }
        }
    } catch (const Error&) {   // who reads the item is told
        return std::nullopt;
    } catch (const std::system_error&) {
        return std::nullopt;
    }
    return next == recorded.size();
}

std::optional<std::size_t> number_of(const Items& items, const std::string& name) {
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items.name(i) == name) return i;
    return std::nullopt;
}

/// What was found in an item that is another by now is not what a series of the files that are there would find.
void check_source(const PreparedSeries& series, const RecordedFiles& files, const StepSpec& step, const Json& found,
                  SeriesResult& result) {
    const auto item = found.at("item").get<std::string>();
    const auto refuse = [&](const std::string& how) {
        throw ConfigError(series.options.resume ? "--resume" : "--shard",
                          fmt::format("{} that {}, in which the step \"{}\" found what all items share", item, how, step.id),
                          "the file as it was", "--overwrite begins anew, and looks again");
    };
    const std::optional<std::size_t> number = number_of(series.items, item);
    std::vector<FileState> inputs;
    std::size_t gone = 0;
    for (const Json& input : host::with_text_as_octets(found.value("inputs", Json::array()))) {
        const FileState& file = inputs.emplace_back(file_from(input));
        if (!files.is_there(file)) ++gone;
        else if (!files.unchanged(file)) refuse("has changed");
    }
    if (gone == 0) {
        if (number && !ReadsNow(series, files).as_recorded(*number, inputs, found.value("reads", std::string())))
            refuse("reads other files by now");
        return;
    }
    const std::optional<bool> alike = number ? reads_alike(series, *number, inputs) : std::nullopt;
    if (alike == false) refuse("has changed");
    if (!alike)
        result.warnings.push_back({fmt::format("step \"{}\": what was found in {} is used, which is no longer there; --overwrite "
                                               "begins anew, and looks again",
                                               step.id, item),
                                   item, 1});
}

Json find_in(const PreparedSeries& series, Engine& engine, std::size_t step, std::size_t item) {
    const Prepared prepared = prepare(job_for(series, step, item), series.where, true);
    Work work;
    work.take(std::shared_ptr<const Prepared>(std::shared_ptr<const Prepared>(), &prepared));  // lives as long
    Resident resident(engine, Resident::one_at_a_time);
    resident.plan(prepared.resolved);
    read_work(work, {HostArray::make, {}, {}, {}});
    const HostArray* const looked_at = array_for(work, step);
    const HostArray array = looked_at != nullptr ? *looked_at : HostArray();   // its memory stays
    resident.submit(work);
    resident.finish(work);
    finish_reading(work);
    Json warnings = Json::array();
    for (const DataWarning& warning : work.warnings) {
        if (warning.step == step) warnings.push_back(warning.text);
    }
    Json found{{"item", series.items.name(item)},
               {"record", work.records.at({step, prepared.job.steps[step].outputs.front()})},
               {"warnings", std::move(warnings)},
               {"inputs", host::with_octets_as_text(files_of(prepared.job, work))},
               {"reads", hash_of_reads(prepared, series.where)},
               {"format", 2}};
    if (!array.memory) return found;
    const double strength = prepared.job.steps[step].algorithm->finding->strength(found["record"], array);
    if (strength > 0) found["strength"] = strength;
    return found;
}

/// The step's parameters with what was found.
Parameters fixed_by(const StepSpec& step, const Json& found) {
    const Json fixed = step.algorithm->finding->fix(step.parameters.to_json(), found.at("record"));
    return step.algorithm->parameters.parse(fixed, step.pointer).with_keys_of(step.parameters);
}

bool are_strings(const Json& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& text) { return text.is_string(); });
}

/// Whether a file holds what was found for the step. Those of before have no checksum, so that the form is looked at, too.
bool is_record(const fs::path& file, const StepSpec& step, const RecordedFiles& files) {
    try {
        const Json json = load_document(file);
        if (!is_as_written(json, "format")) return false;
        fixed_by(step, json);
        std::vector<FileState> inputs;
        for (const Json& input : host::with_text_as_octets(json.value("inputs", Json::array()))) inputs.push_back(file_from(input));
        if (!files.may_read(inputs)) return false;
        if (json.contains("strength") && !json.at("strength").is_number()) return false;
        if (json.contains("reads") && !json.at("reads").is_string()) return false;
        return json.at("item").is_string() && are_strings(json.at("warnings"));
    } catch (const ConfigError&) {
        return false;
    } catch (const Json::exception&) {
        return false;
    }
}

}  // namespace

void settle(PreparedSeries& series, Engine& engine, SeriesResult& result) {
    const RecordedFiles files(series.where);
    for (std::size_t i = 0; i < series.job.steps.size(); ++i) {
        StepSpec& step = series.job.steps[i];
        const std::optional<Finding>& finding = step.algorithm->finding;
        if (!finding || !finding->needed(step.parameters)) continue;
        const fs::path file = series.options.manifest / fmt::format("found-{}.json", i);
        const auto is_there = [&] { return fs::exists(fs::symlink_status(file)); };
        if (is_there() && !is_record(file, step, files)) fs::remove(file);   // damaged: it is looked for again
        if (!is_there()) {
            const Json here = of_first_item(series, [&](std::size_t item) { return find_in(series, engine, i, item); });
            try {
                write_document(file, with_checksum(here), false);
            } catch (const IoError&) {  // another shard may have been faster
                if (!is_there()) throw;
            }
        }
        Json& found = result.found[step.id];
        found = load_document(file);
        check_source(series, files, step, found, result);
        const auto item = found.at("item").get<std::string>();
        for (const Json& warning : found.at("warnings")) {
            result.warnings.push_back({fmt::format("step \"{}\": {}", step.id, warning.get<std::string>()), item, 1});
        }
        const Parameters fixed = fixed_by(step, found);
        step.parameters = fixed;
        series.found[i] = found;
        series.sample.job.steps[i].parameters = fixed;
        series.sample.resolved.pipeline.steps[i].parameters = fixed;
        series.sample.resolved.steps[i].problem.parameters = fixed;
    }
}

void hold_against_found(const PreparedSeries& series, DeviceWork& work) {
    for (const auto& [step, found] : series.found) {
        const HostArray* const array = found.contains("strength") ? array_for(work, step) : nullptr;
        if (array == nullptr) continue;
        const Finding& finding = *series.job.steps[step].algorithm->finding;
        if (finding.strength(found.at("record"), *array) < finding.least_share * found["strength"].get<double>())
            work.warnings.push_back({step, finding.doubt(found.at("record"), found.at("item").get<std::string>())});
    }
}

}  // namespace parallax::engine::series
