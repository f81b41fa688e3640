#include "check.hpp"

#include "io/io.hpp"
#include "job/read.hpp"
#include "job/runner.hpp"
#include "modes/run.hpp"
#include "parallax/host/implementation.hpp"
#include "same.hpp"
#include "step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace parallax::tests::whole_jobs {

namespace fs = std::filesystem;

namespace {

using namespace engine;
using Files = std::map<std::string, std::string>;   ///< name below a folder -> bytes

std::string one_line(std::string text) {
    text.resize(std::min<std::size_t>(text.size(), 700));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// What a step refuses as a wrong request (no carrier in this image, labels beyond what it counts), or a device as beyond it.
bool is_refusal(const Error& error) {
    return std::string_view(error.kind()) == "config" || std::string_view(error.kind()) == "unsupported";
}

Files contents(const fs::path& folder) {
    Files files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        std::ostringstream bytes;
        bytes << file.rdbuf();
        files[entry.path().lexically_relative(folder).generic_string()] = bytes.str();
    }
    return files;
}

/// Names of the files of `one` that `other` has not.
std::string missing(const Files& one, const Files& other) {
    std::string names;
    for (const auto& [name, bytes] : one)
        if (!other.contains(name)) names += " " + name;
    return names;
}

/// Names of what two folders do not have alike. Times that drawings or tables could hold there are none.
std::string differing(const Files& one, const Files& other) {
    std::string names;
    for (const auto& [name, bytes] : one)
        if (const auto there = other.find(name); there == other.end() || there->second != bytes) names += " " + name;
    return names + missing(other, one);
}

/// As {frame.stem} has it.
std::string stem_of(const fs::path& file) {
    const fs::path name = file.stem();
    return (name.extension() == ".nii" ? name.stem() : name).string();
}

/// Everything about one job in its folder.
class Trial {
public:
    Trial(Engine& engine, Engine& reference, const WholeJob& whole, const fs::path& folder)
        : engine_(engine), reference_(reference), whole_(whole), folder_(folder) {}

    Findings run() {
        if (whole_.is_series()) check_series();
        else check_alone(whole_.job, "out", true);
        return std::move(found_);
    }

private:
    Locations where(const std::string& out) const {
        Locations locations;
        locations.job_folder = fs::canonical(folder_);
        locations.out = fs::canonical(folder_) / out;
        locations.synced = false;
        locations.confined = whole_.confined;
        return locations;
    }
    Prepared prepared(const Json& job, const std::string& out) const {
        return prepare(parse_job(job, engine_.registry().algorithms()), where(out), false);
    }
    void fail(const std::string& text) { found_.failures.push_back(one_line(text)); }

    /// The files of a job that is run by itself; none where it is refused, of which nothing may stay.
    std::optional<Files> run_to_files(const Json& job, const std::string& out, std::string& refusal) {
        try {
            const JobResult done = engine::run(prepared(job, out), engine_);
            peak_ = done.peak_device_bytes;
            return contents(folder_ / out);
        } catch (const Error& error) {
            refusal = one_line(error.what());
            if (!is_refusal(error)) fail(fmt::format("the job failed: {}", error.what()));
            if (!contents(folder_ / out).empty()) fail("a refused job left files:" + differing({}, contents(folder_ / out)));
            return std::nullopt;
        }
    }

    void check_alone(const Json& job, const std::string& out, bool thoroughly) {
        std::string refusal;
        const std::optional<Files> files = run_to_files(job, out, refusal);
        if (!files) ++found_.counts["refused"];
        check_from_memory(job, out, files.has_value(), refusal);
        if (!files || !thoroughly) return;
        check_files_of_again(job, *files);
        check_in_little_memory(job, *files);
    }

    /// Step after step on arrays in memory: the same bytes as through the job, and near the reference.
    void check_from_memory(const Json& json, const std::string& out, bool did, const std::string& refusal) {
        const Prepared job = [&] {
            return prepare(parse_job(json, engine_.registry().algorithms()), where(out + "-memory"), false);
        }();
        std::map<Source, HostArray> arrays;
        std::map<Source, Json> records;
        for (std::size_t i = 0; i < job.inputs.size(); ++i) {
            const InputSpec& spec = job.job.inputs[i];
            InputWarnings none;
            HostArray array = read_input(spec, job.inputs[i], job.job.non_finite, {}, none);
            check_read(spec, array);
            arrays.emplace(Source{std::nullopt, spec.name}, std::move(array));
        }
        for (std::size_t i = 0; i < job.resolved.steps.size(); ++i)
            if (!run_step(job, i, did, refusal, arrays, records)) return;
        if (!did) return fail("the job was refused, and none of its steps by itself: " + refusal);
        for (std::size_t i = 0; i < job.outputs.size(); ++i) check_output(job.job.outputs[i], folder_ / out, arrays, records);
    }

    /// What was written into the file comes back.
    void check_read(const InputSpec& spec, const HostArray& array) {
        if (!spec.combine.empty() || spec.files.size() != 1) return;
        const auto written = whole_.files.find(fs::path(spec.files.front()).filename().string());
        if (written == whole_.files.end()) return;
        ++found_.counts["files read"];
        if (const std::string why = why_not_same(array, written->second); !why.empty())
            fail(fmt::format("input {}: {}", spec.files.front(), why));
    }

    bool run_step(const Prepared& job, std::size_t i, bool did, const std::string& refusal, std::map<Source, HostArray>& arrays,
                  std::map<Source, Json>& records) {
        const Step& step = job.resolved.pipeline.steps[i];
        StepCall call;
        call.algorithm = step.algorithm;
        call.parameters = job.resolved.steps[i].problem.parameters.to_json();
        call.outputs = job.resolved.steps[i].problem.outputs;
        for (const auto& [port, source] : step.inputs) call.inputs.emplace(port, arrays.at(source));
        StepResult made;
        try {
            made = compute(engine_, call, "");
        } catch (const Error& error) {
            if (did) fail(fmt::format("{} refuses by itself what the job did: {}", step.id, error.what()));
            else if (!is_refusal(error)) fail(fmt::format("{} failed by itself: {}", step.id, error.what()));
            else check_refusal(step.id, call, error);
            return false;
        }
        for (const auto& [port, array] : made.arrays) arrays.emplace(Source{i, port}, array);
        for (const auto& [port, record] : made.records.items()) records.emplace(Source{i, port}, record);
        try {
            const Opinion opinion = judge(reference_, call, made);
            ++found_.counts[opinion.not_judged.empty() ? "steps judged" : "steps with several answers"];
            if (!opinion.why_not.empty()) fail(fmt::format("{} ({}): {}", step.id, call.algorithm->name, opinion.why_not));
        } catch (const Error& error) {
            fail(fmt::format("{} ran by {}, the reference did not: {}", step.id, made.variant, error.what()));
        }
        static_cast<void>(refusal);
        return true;
    }

    /// What the data do not admit the reference must not admit, either; what a device cannot do it may.
    void check_refusal(const std::string& id, const StepCall& call, const Error& error) {
        if (std::string_view(error.kind()) == "unsupported") return;
        try {
            compute(reference_, call, "reference");
        } catch (const ConfigError&) {
            return;
        }
        fail(fmt::format("{} refuses what the reference does: {}", id, error.what()));
    }

    void check_output(const OutputSpec& output, const fs::path& out, const std::map<Source, HostArray>& arrays,
                      const std::map<Source, Json>& records) {
        const fs::path file = out / output.file;
        if (!fs::exists(file)) return fail(fmt::format("{} is not there", output.file));
        if (output.form == OutputForm::json) {
            std::ifstream text(file);
            ++found_.counts["records compared"];
            if (Json::parse(text) != Json::parse(records.at(output.source).dump()))
                fail(fmt::format("{} has another record than the step by itself", output.file));
        }
        if (output.form != OutputForm::array) return;
        const HostArray& array = arrays.at(output.source);
        const HostArray read = io::read(file);
        const std::string ending = file.extension().string();
        const bool as_it_is = array.desc.type == ElementType::u8 || array.desc.type == ElementType::u16;
        if (ending == ".jpg" || (ending == ".png" && (!as_it_is || output.write.window_percentile))) {
            ++found_.counts["pictures read"];
            if (read.desc.count() != array.desc.count())
                fail(fmt::format("{}: {} of {}", output.file, read.desc.describe(), array.desc.describe()));
            return;
        }
        ++found_.counts["arrays compared"];
        if (const std::string why = why_not_same(read, array); !why.empty()) fail(fmt::format("{}: {}", output.file, why));
    }

    /// The job as its report states it: the same job.
    void check_files_of_again(const Json& job, const Files& files) {
        const Json stated = to_json(parse_job(job, engine_.registry().algorithms()));
        if (to_json(parse_job(stated, engine_.registry().algorithms())) != stated) fail("the stated job states another one");
        std::string refusal;
        const auto again = run_to_files(stated, "again", refusal);
        ++found_.counts["run as stated"];
        if (!again) fail("the job as stated is refused: " + refusal);
        else if (const std::string names = differing(files, *again); !names.empty()) fail("the job as stated differs in" + names);
    }

    /// On PoCL some transforms of odd lengths round rows by their place in the launch, in the last digits (docs/testing.md), and those of
    /// another library by how many rows there are, on any device.
    bool rounds_by_place(const Json& job) const {
        const bool pocl = host::is_pocl(engine_.device());
        return std::any_of(job["steps"].begin(), job["steps"].end(), [&](const Json& step) {
            const bool transforms = step.value("run", "") == "fft" || step.value("run", "") == "hologram";
            const std::string library = step.value("fft", "auto"), variant = step.value("variant", "");
            const auto is_others = [](const std::string& name) { return name == "vkfft" || name == "clfft" || name == "cufft"; };
            return transforms && (pocl || is_others(library) || is_others(variant));
        });
    }

    /// In half of what it took at most, and in a quarter: the same bytes, or a refusal.
    void check_in_little_memory(Json job, const Files& files) {
        const std::uint64_t whole = peak_;
        for (const std::uint64_t share : {2, 4}) {
            job["memory_limit"] = std::max<std::uint64_t>(1, whole / share);
            std::string refusal;
            const std::string out = fmt::format("limited-{}", share);
            const auto made = run_to_files(job, out, refusal);
            ++found_.counts[made ? "in little memory" : "refused in little memory"];
            if (!made) continue;
            const std::string names = rounds_by_place(job) ? missing(files, *made) + missing(*made, files) : differing(files, *made);
            if (!names.empty())
                fail(fmt::format("with memory_limit {} it differs in{}", job["memory_limit"].dump(), names));
            if (peak_ > job["memory_limit"].get<std::uint64_t>())
                fail(fmt::format("with memory_limit {} it took {} bytes", job["memory_limit"].dump(), peak_));
        }
    }

    /// Every item's files are those of the job on that item alone.
    void check_series() {
        std::optional<series::SeriesResult> done;
        try {
            const series::SeriesOptions options{where("out").out / "m.series", false, false, {}, {}};
            const auto prepared = prepared_series(options);
            done = series::run(prepared, {&engine_});
            auto resumed = options;
            resumed.resume = true;
            const series::SeriesResult second = series::run(prepared_series(resumed), {&engine_});
            if (done->failed.empty() && (second.skipped != done->total || second.done != 0))
                fail(fmt::format("resumed, {} of {} items are done again", second.done, done->total));
        } catch (const Error& error) {
            if (!is_refusal(error)) return fail(fmt::format("the series failed: {}", error.what()));
        }
        ++found_.counts["series"];
        if (!done) ++found_.counts["refused"];
        const Files of_series = contents(folder_ / "out");
        long item = 0;
        for (const auto& [file, array] : whole_.files) {
            const std::string stem = stem_of(file), out = fmt::format("item-{}", ++item);
            check_alone(job_of_item(file), out, false);
            if (!done || !done->failed.empty()) continue;
            for (const auto& [name, bytes] : contents(folder_ / out))
                if (name.find(stem) != std::string::npos &&
                    (!of_series.contains(name) || of_series.at(name) != bytes))
                    fail(fmt::format("{} of the series is another than of the item alone", name));
        }
    }

    series::PreparedSeries prepared_series(const series::SeriesOptions& options) const {
        return series::prepare_series(parse_job(whole_.job, engine_.registry().algorithms()), where("out"), options);
    }

    Json job_of_item(const std::string& file) const {
        Json job = whole_.job;
        job.erase("for_each");
        for (auto& [name, input] : job["inputs"].items())
            if (input == "{frame}") input = file;
        std::string text = job["outputs"].dump();
        const std::string stem = stem_of(file), placeholder = "{frame.stem}";
        for (std::size_t at; (at = text.find(placeholder)) != std::string::npos;) text.replace(at, placeholder.size(), stem);
        job["outputs"] = Json::parse(text);
        return job;
    }

    Engine& engine_;
    Engine& reference_;
    const WholeJob& whole_;
    fs::path folder_;
    Findings found_;
    std::uint64_t peak_ = 0;
};

}  // namespace

Findings Checker::check(const WholeJob& job, const fs::path& folder) { return Trial(engine_, reference_, job, folder).run(); }

}  // namespace parallax::tests::whole_jobs
