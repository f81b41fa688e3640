#include "job/runner.hpp"

#include "job/outputs.hpp"
#include "job/read.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <numeric>

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

using Scope = Execution::Scope;
using Arrays = std::map<Source, DeviceArray>;

/// Says where the run is, and ends it when the caller wants it to end.
class Progress {
public:
    Progress(const Prepared& prepared, const RunOptions& options)
        : options_(options), total_(prepared.inputs.size() + 2 * prepared.steps.size() + 2 * prepared.outputs.size()) {}
    void begin(const std::string& stage) {
        if (options_.cancelled && options_.cancelled()) throw Error("stopped on request; no output was written");
        if (options_.progress) options_.progress(stage, static_cast<double>(done_) / static_cast<double>(total_));
        ++done_;
    }
    void end() const {
        if (options_.progress) options_.progress("done", 1.0);
    }

private:
    const RunOptions& options_;
    std::size_t total_, done_ = 0;
};

/// Memory that the device reaches fast, as an array.
HostArray pinned(host::Context& context, const ArrayDesc& desc) {
    if (desc.dense_bytes() == 0) return HostArray::make(desc);
    const std::shared_ptr<host::PinnedMemory> memory = context.allocate_pinned(desc.dense_bytes());
    return {desc, {}, std::shared_ptr<std::byte[]>(memory, memory->bytes().data())};
}

FileReport report_file(const fs::path& path, std::string format = {}) {
    return {to_utf8(fs::absolute(path)), fs::file_size(path), io::hash_file(path), std::move(format)};
}

/// The last step that needs an array, for giving its memory back.
std::map<Source, std::size_t> last_uses(const Job& job) {
    std::map<Source, std::size_t> last;
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        for (const auto& [port, source] : job.steps[i].inputs) last[source] = i;
    }
    for (const OutputSpec& output : job.outputs) last[output.source] = job.steps.size();
    return last;
}

std::string human(std::uint64_t bytes) {
    return bytes < 10000000 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

void check_fits(const Prepared& prepared, const host::DeviceInfo& device) {
    std::vector<std::string> reasons;
    const auto check = [&](const std::string& name, const ArrayDesc& desc) {
        if (device.max_allocation > 0 && desc.dense_bytes() > device.max_allocation) {
            reasons.push_back(fmt::format("\"{}\", {}, takes {}; the largest allocation is {}", name, desc.describe(), human(desc.dense_bytes()),
                                          human(device.max_allocation)));
        }
    };
    const Job& job = prepared.job;
    for (std::size_t i = 0; i < job.inputs.size(); ++i) check(job.inputs[i].name, prepared.inputs[i].desc);
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        for (const auto& [port, desc] : prepared.steps[i].shapes) check(job.name_of({i, port}), desc);
    }
    const std::uint64_t total = prepared.array_bytes();
    if (device.global_memory > 0 && total > device.global_memory) {
        reasons.push_back(fmt::format("all arrays together take {}; the device has {}", human(total), human(device.global_memory)));
    }
    if (job.memory_limit && total > *job.memory_limit) {
        reasons.push_back(fmt::format("all arrays together take {}; memory_limit is {}", human(total), human(*job.memory_limit)));
    }
    if (!reasons.empty()) throw UnsupportedError(fmt::format("the job does not fit into the memory of {}", device.name), reasons);
}

std::string utc_now() {
    std::tm utc{};
    const std::time_t now = std::time(nullptr);
#if defined(_WIN32)
    gmtime_s(&utc, &now);
#else
    gmtime_r(&now, &utc);
#endif
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc);
}

Arrays read_and_upload(const Prepared& prepared, Session& session, Progress& progress, JobResult& result) {
    Arrays arrays;
    host::Context& context = session.context();
    Profiler& profiler = session.profiler();
    for (std::size_t i = 0; i < prepared.inputs.size(); ++i) {
        const InputSpec& spec = prepared.job.inputs[i];
        const PreparedInput& input = prepared.inputs[i];
        progress.begin("read " + spec.name);
        HostArray host;
        {
            const Scope scope(profiler, "read");
            const HostTimer timer(profiler, spec.name);
            host = read_input(spec, input, prepared.job.non_finite, [&](const ArrayDesc& desc) { return pinned(context, desc); });
        }
        InputReport report{spec.name, {}, host.desc.describe()};
        {
            const Scope scope(profiler, "hash");
            const HostTimer timer(profiler, spec.name);
            for (std::size_t f = 0; f < input.files.size(); ++f) report.files.push_back(report_file(input.files[f], input.infos[f].format));
        }
        result.inputs.push_back(std::move(report));
        const Scope scope(profiler, "upload");
        arrays.emplace(Source{std::nullopt, spec.name}, session.upload(host, spec.name));
    }
    return arrays;
}

/// Leaves what the job puts out in `arrays` and `records`.
void compute(const Prepared& prepared, Session& session, Progress& progress, Arrays& arrays, std::map<Source, Json>& records, JobResult& result) {
    const Job& job = prepared.job;
    const auto last = last_uses(job);
    host::Context& context = session.context();
    const auto note_memory = [&] {
        result.peak_device_bytes = std::max(result.peak_device_bytes, context.allocated());
        if (!job.memory_limit || context.allocated() <= *job.memory_limit) return;
        throw UnsupportedError("the job needs more memory than it may use",
                               {fmt::format("with the workspace of its steps it takes {}; memory_limit is {}", human(context.allocated()), human(*job.memory_limit))});
    };
    note_memory();
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        const StepSpec& step = job.steps[i];
        progress.begin("compute " + step.id);
        Call call{step.id, step.algorithm, step.parameters, step.variant, step.policy, {}, step.outputs, step.pointer};
        for (const auto& [port, source] : step.inputs) call.inputs.emplace(port, arrays.at(source));
        CallResult done;
        in_terms_of(job, step, [&] { done = session.run(call); });
        note_memory();
        progress.begin("computed " + step.id);
        for (auto& [port, array] : done.outputs) arrays.emplace(Source{i, port}, std::move(array));
        for (const auto& [port, record] : done.records.items()) records.emplace(Source{i, port}, record);
        call.inputs.clear();
        std::erase_if(arrays, [&](const auto& entry) {
            const auto use = last.find(entry.first);
            return use == last.end() || use->second <= i;
        });
        result.steps.push_back({step.id, step.algorithm->name, done.variant, done.policy, std::move(done.refusals), std::move(done.warnings),
                                std::move(done.built), done.plan_seconds, done.workspace_bytes});
    }
}

const Json& record_of(const std::map<Source, Json>& records, const Job& job, const OutputSpec& output) {
    const auto found = records.find(output.source);
    if (found != records.end()) return found->second;
    throw Error(fmt::format("step \"{}\" ended without its record \"{}\": this is a fault of the engine", job.steps[*output.source.step].id, output.source.port));
}

void write_file(const fs::path& path, const OutputSpec& output, const HostArray& array, const Json& record) {
    if (output.form == OutputForm::array) return io::write(path, array, output.write);
    if (output.form == OutputForm::json) return io::write_json(path, record, false);
    const Table table = to_table(record, output.form);
    io::write_csv(path, table.header, table.rows, false);
}

void write_outputs(const Prepared& prepared, Session& session, Progress& progress, Arrays& arrays, const std::map<Source, Json>& records,
                   JobResult& result) {
    Profiler& profiler = session.profiler();
    OutputSet files(prepared.overwrite);
    for (std::size_t i = 0; i < prepared.outputs.size(); ++i) {
        const OutputSpec& output = prepared.job.outputs[i];
        OutputReport report{output.name, {}, {}};
        HostArray array;
        progress.begin("download " + output.name);
        if (output.form == OutputForm::array) {
            const Scope scope(profiler, "download");
            array = session.download(arrays.at(output.source), output.name);
            report.array = array.desc.describe();
        }
        progress.begin("write " + output.name);
        const Scope scope(profiler, "write");
        const HostTimer timer(profiler, output.name);
        if (output.form != OutputForm::array) result.records[output.name] = record_of(records, prepared.job, output);
        const fs::path& target = prepared.outputs[i];
        const fs::path written = files.add(target, [&](const fs::path& path) {
            try {
                write_file(path, output, array, result.records.value(output.name, Json()));
            } catch (const IoError& error) {   // the user knows the file by the name that it was to have
                throw IoError(to_utf8(target), error.problem, error.hint);
            }
        });
        report.file = report_file(written);
        report.file.path = to_utf8(fs::absolute(target));
        result.outputs.push_back(std::move(report));
    }
    files.commit();
}

}  // namespace

std::vector<Choice> choose_variants(const Prepared& prepared, Session& session) {
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < prepared.steps.size(); ++i) {
        const StepSpec& step = prepared.job.steps[i];
        in_terms_of(prepared.job, step, [&] {
            choices.push_back(session.choose(*step.algorithm, prepared.steps[i].problem, step.variant, step.policy, step.pointer));
        });
    }
    check_fits(prepared, session.engine().device());
    return choices;
}

namespace {

JobResult attempt(const Prepared& prepared, Engine& engine, const RunOptions& options) {
    Session session(engine);
    session.queue().set_limit(std::chrono::duration<double>(prepared.job.step_timeout_s));
    choose_variants(prepared, session);
    Progress progress(prepared, options);
    JobResult result;
    result.engine_version = PARALLAX_VERSION;
    result.job = to_json(prepared.job);
    result.device = engine.device();

    Arrays arrays = read_and_upload(prepared, session, progress, result);
    std::map<Source, Json> records;
    compute(prepared, session, progress, arrays, records, result);
    write_outputs(prepared, session, progress, arrays, records, result);

    for (std::size_t i = 0; i < result.steps.size(); ++i) {   // the job that is reported repeats this very run
        result.job["steps"][i]["variant"] = result.steps[i].variant;
        result.job["steps"][i]["policy"] = result.steps[i].policy.to_json();
    }
    result.stages = options.before;
    for (Stage& stage : session.profiler().collect()) result.stages.push_back(std::move(stage));
    result.finished = utc_now();
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - options.started).count();
    progress.end();
    return result;
}

}  // namespace

JobResult run(const Prepared& prepared, Engine& engine, const RunOptions& options) {
    try {
        return attempt(prepared, engine, options);
    } catch (const DeviceError& error) {
        if (!prepared.job.retry || !engine.renew()) throw;
        JobResult result = attempt(prepared, engine, options);
        result.retried = error.what();
        return result;
    }
}

Json describe_plan(const Prepared& prepared, Engine& engine) {
    Session session(engine);
    const std::vector<Choice> choices = choose_variants(prepared, session);
    const Job& job = prepared.job;
    Json arrays = Json::array(), steps = Json::array();
    const auto add = [&](const std::string& name, const std::string& made_by, const ArrayDesc& desc) {
        arrays.push_back({{"name", name}, {"from", made_by}, {"array", desc.describe()}, {"bytes", desc.dense_bytes()}});
    };
    for (std::size_t i = 0; i < job.inputs.size(); ++i) add(job.inputs[i].name, to_utf8(prepared.inputs[i].files.front()), prepared.inputs[i].desc);

    std::uint64_t kept = 0;
    std::vector<std::uint64_t> slots;   // shared by all plans: each grows to its largest user
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        const StepSpec& step = job.steps[i];
        const PreparedStep& ready = prepared.steps[i];
        for (const auto& [port, desc] : ready.shapes) add(job.name_of({i, port}), step.id, desc);
        PlanBuilder builder(session.context(), session.queue());
        std::unique_ptr<Plan> plan;
        in_terms_of(job, step, [&] { plan = choices[i].variant->plan(builder, ready.problem, choices[i].policy); });
        session.queue().finish();
        if (slots.size() < builder.slots().size()) slots.resize(builder.slots().size());
        for (std::size_t s = 0; s < builder.slots().size(); ++s) slots[s] = std::max<std::uint64_t>(slots[s], builder.slots()[s]);
        kept += builder.state_bytes();
        Json kernels = Json::array(), refusals = Json::array();
        for (const PlanBuilder::Built& built : builder.built()) {
            kernels.push_back({{"file", built.file}, {"kernel", built.kernel}, {"hash", built.hash}, {"origin", built.origin}});
        }
        for (const Refusal& refusal : choices[i].refusals) refusals.push_back({{"variant", refusal.variant}, {"reason", refusal.reason}});
        steps.push_back({{"id", step.id},
                         {"run", step.algorithm->name},
                         {"variant", choices[i].variant->name},
                         {"policy", choices[i].policy.to_json()},
                         {"refusals", std::move(refusals)},
                         {"warnings", ready.warnings},
                         {"kernels", std::move(kernels)},
                         {"workspace_bytes", std::accumulate(builder.slots().begin(), builder.slots().end(), std::uint64_t{0})},
                         {"state_bytes", builder.state_bytes()}});
    }
    const std::uint64_t workspace = std::accumulate(slots.begin(), slots.end(), std::uint64_t{0});
    return {{"device", to_json(engine.device())},
            {"arrays", std::move(arrays)},
            {"steps", std::move(steps)},
            {"array_bytes", prepared.array_bytes()},
            {"workspace_bytes", workspace},
            {"state_bytes", kept},
            {"upper_bound_bytes", prepared.array_bytes() + workspace + kept}};
}

}  // namespace parallax::engine
