#include "job/work.hpp"

#include "io/picture/picture.hpp"
#include "io/transaction.hpp"
#include "io/window.hpp"
#include "io/witness.hpp"
#include "job/read.hpp"
#include "job/slices.hpp"
#include "job/small_inputs.hpp"
#include "job/table.hpp"

#include <fmt/format.h>

#include <optional>

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

using Scope = Execution::Scope;

/// What the format could not hold goes to `report`.
void write_record(const fs::path& path, const OutputSpec& output, const Json& record, OutputReport& report) {
    if (output.form == OutputForm::json) return io::write_json(path, record, false);
    if (output.form == OutputForm::svg) return io::write_text(path, record.get<std::string>(), false);
    if (output.form == OutputForm::csv) {
        const Table table = to_csv(record);
        return io::write_csv(path, table.header, table.rows, false);
    }
    Rows made = to_rows(record);
    const Table table = to_csv(made.rows);
    io::write_csv(path, table.header, table.rows, false);
    report.left_out = std::move(made.left_out);
}

}  // namespace

void Work::take(std::shared_ptr<const Prepared> job) {
    prepared = std::move(job);
    pipeline = std::shared_ptr<const Resolved>(prepared, &prepared->resolved);
    slices = [this](std::size_t input) {
        return slices_of(prepared->job.inputs[input], prepared->inputs[input], prepared->job.non_finite, input_warnings);
    };
}

void read_work(Work& work, const ReadHooks& hooks) {
    const Prepared& prepared = *work.prepared;
    work.inputs.resize(prepared.inputs.size());
    for (std::size_t i = 0; i < prepared.inputs.size(); ++i) {
        if (hooks.on_device && hooks.on_device(i)) continue;
        const InputSpec& spec = prepared.job.inputs[i];
        const PreparedInput& input = prepared.inputs[i];
        work.begin("read " + spec.name);
        const bool in_slabs = hooks.in_slabs && hooks.in_slabs(i);
        const auto hash = [&] {
            const Scope scope(work.profiler, "hash");
            const HostTimer timer(work.profiler, spec.name);
            work.hashing.emplace_back(spec, input);
        };
        if (in_slabs) {
            hash();
            work.inputs[i].desc = input.desc;
            continue;
        }
        const bool of_neighbours = spec.running > 0 && hooks.neighbours, hashed_by_reading = !of_neighbours && is_small(input);
        if (!hashed_by_reading) hash();
        const Scope scope(work.profiler, "read");
        const HostTimer timer(work.profiler, spec.name);
        if (of_neighbours) {
            work.inputs[i] = combine_input(spec, input, hooks.neighbours(i), work.input_warnings);
            continue;
        }
        std::vector<FileReport> files;
        work.inputs[i] = read_input(spec, input, prepared.job.non_finite, hooks.memory, work.input_warnings,
                                    hashed_by_reading ? &files : nullptr);
        if (hashed_by_reading) work.hashing.emplace_back(spec, input, std::move(files));
    }
}

void finish_reading(Work& work) {
    const Scope scope(work.profiler, "hash");
    const HostTimer timer(work.profiler, "inputs");
    const auto proceed = [&] {
        if (work.advance) work.advance(1);
    };
    for (Hashing& hashing : work.hashing) work.input_reports.push_back(hashing.finish(proceed));
    work.hashing.clear();
}

const Json& record_of(const Work& work, const OutputSpec& output) {
    const auto found = work.records.find(output.source);
    if (found != work.records.end()) return found->second;
    throw Error(fmt::format("step \"{}\" ended without its record \"{}\": this is a fault of the engine",
                            work.prepared->job.steps[*output.source.step].id, output.source.port));
}

io::Transaction transaction_of(const Prepared& prepared) {
    return {prepared.out, {prepared.overwrite, prepared.synced, prepared.confined}};
}

void write_array(const fs::path& path, const OutputSpec& output, const HostArray& array, OutputReport& report) {
    io::WriteOptions options = output.write;
    options.name = output.file;
    if (std::string lost = io::display_loss(path, array, options); !lost.empty()) report.warnings.push_back(std::move(lost));
    if (std::string pace = io::picture::pace_warning(path, array.desc, options); !pace.empty())
        report.warnings.push_back(std::move(pace));
    io::write(path, array, options);
}

void stage_work(Work& work, io::Transaction& files, const WriteArray& write_elsewhere) {
    const Prepared& prepared = *work.prepared;
    for (std::size_t i = 0; i < prepared.outputs.size(); ++i) {
        const OutputSpec& output = prepared.job.outputs[i];
        if (output.gathered) continue;
        work.begin("write " + output.name);
        const Scope scope(work.profiler, "write");
        const HostTimer timer(work.profiler, output.name);
        const bool is_array = output.form == OutputForm::array;
        const bool elsewhere = is_array && write_elsewhere;
        const HostArray& array = is_array && !elsewhere ? work.arrays.at(output.source) : HostArray();
        const Json& record = is_array ? Json() : record_of(work, output);
        const fs::path& target = prepared.outputs[i];
        OutputReport report{output.name, {}, {}};
        std::string hash;
        const auto produce = [&](const fs::path& path) {
            const io::Witness witness(path);
            if (elsewhere) write_elsewhere(output, path, report);
            else if (is_array) write_array(path, output, array, report);
            else write_record(path, output, record, report);
            hash = witness.hash();
        };
        const bool folder = is_array && io::writes_folder(target);
        const fs::path written = files.add(target, produce, folder ? io::Transaction::Form::folder : io::Transaction::Form::file);
        report.file = report_file(written, std::string(), {}, {}, std::move(hash));
        report.array = elsewhere  ? prepared.resolved.desc(output.source).describe()
                       : is_array ? array.desc.describe()
                                  : std::string();
        report.file.path = to_utf8(fs::absolute(target));
        work.output_reports.push_back(std::move(report));
    }
    files.sync();
}

}  // namespace parallax::engine
