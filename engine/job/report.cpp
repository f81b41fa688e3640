// Reports -> JSON.
#include "job/report.hpp"

#include "io/tree.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <system_error>

namespace parallax::engine {

namespace {

bool covers(const io::Stretch& part, std::uint64_t bytes) { return part.first == 0 && part.bytes >= bytes; }

}  // namespace

FileReport report_file(const std::filesystem::path& path, std::string format, const std::stop_token& stop,
                       std::optional<io::Stretch> part, std::string hash) {
    try {
        const auto identity = io::identity_of_tree(path);   // before the hash: what comes later is another
        const bool certain = identity && !host::may_keep_its_time(*identity);
        const std::uint64_t bytes = identity ? identity->bytes : io::size_of_tree(path).bytes;
        if (part && covers(*part, bytes)) part.reset();
        if (hash.empty()) hash = part ? io::hash_file(path, stop, part) : io::hash_of_tree(path, stop);
        return {to_utf8(std::filesystem::absolute(path)), bytes, std::move(hash), std::move(format), identity, part, certain};
    } catch (const std::system_error& error) {
        throw IoError(to_utf8(host::without_descriptor(path)), "cannot be looked at for its report: " + error.code().message(),
                      "leave files alone while a job runs");
    }
}

FileReport report_file(const std::filesystem::path& path, const std::filesystem::path& through, const io::FileInfo& info,
                       const std::stop_token& stop, std::string hash) {
    FileReport report;
    if (info.identity) {   // one look is enough: jobs have 100,000 files
        const bool certain = !host::may_change_unseen(*info.identity),
                   whole = !info.read_bytes || covers(*info.read_bytes, info.identity->bytes);
        const std::optional<io::Stretch> part = whole ? std::nullopt : info.read_bytes;
        if (hash.empty()) hash = io::hash_file(through, stop, part);
        report = {{}, info.identity->bytes, std::move(hash), info.format, info.identity, part, certain};
    } else {
        report = report_file(through, info.format, stop, info.read_bytes, std::move(hash));
    }
    report.path = to_utf8(std::filesystem::absolute(path));
    return report;
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

Json to_json(const FileReport& file) {
    Json json{{"path", file.path}, {"bytes", file.bytes}, {"xxh3_128", file.hash}};
    if (!file.format.empty()) json["format"] = file.format;
    if (file.hashed) json["hashed"] = {{"from", file.hashed->first}, {"bytes", file.hashed->bytes}};
    return json;
}

Json to_json(const host::DeviceInfo& device) {
    return {{"index", device.index},
            {"name", device.name},
            {"backend", host::to_string(device.backend)},
            {"type", host::to_string(device.type)},
            {"vendor", device.vendor},
            {"platform", device.platform},
            {"version", device.version},
            {"driver", device.driver},
            {"uuid", device.uuid},
            {"pci", device.pci},
            {"global_memory", device.global_memory},
            {"max_allocation", device.max_allocation},
            {"local_memory", device.local_memory},
            {"compute_units", device.compute_units},
            {"max_work_group", device.max_work_group},
            {"clock_mhz", device.clock_mhz},
            {"unified_memory", device.unified_memory},
            {"capabilities", device.capabilities}};
}

Json to_json(const JobResult& result) {
    Json inputs = Json::object(), steps = Json::array(), outputs = Json::object(), stages = Json::array();
    for (const InputReport& input : result.inputs) {
        Json files = Json::array();
        for (const FileReport& file : input.files) files.push_back(to_json(file));
        inputs[input.name] = {{"array", input.array}, {"files", std::move(files)}, {"warnings", input.warnings}};
    }
    for (const StepReport& step : result.steps) steps.push_back(to_json(step));
    for (const OutputReport& output : result.outputs) {
        outputs[output.name] = to_json(output.file);
        if (!output.array.empty()) outputs[output.name]["array"] = output.array;
        if (!output.warnings.empty()) outputs[output.name]["warnings"] = output.warnings;
        if (!output.left_out.empty()) outputs[output.name]["left_out"] = output.left_out;
    }
    for (const Stage& stage : result.stages) stages.push_back(stage.to_json());
    Json json{{"parallax_report", 1},
            {"engine", {{"version", result.engine_version}}},
            {"finished", result.finished},
            {"device", to_json(result.device)},
            {"job", result.job},
            {"inputs", std::move(inputs)},
            {"steps", std::move(steps)},
            {"outputs", std::move(outputs)},
            {"records", result.records},
            {"stages", std::move(stages)},
            {"wall_seconds", result.wall_seconds},
            {"peak_device_bytes", result.peak_device_bytes}};
    if (!result.warnings.empty()) json["warnings"] = result.warnings;
    if (!result.retried.empty()) json["retried"] = result.retried;
    if (!result.ranks.empty()) json["ranks"] = result.ranks;
    return json;
}

}  // namespace parallax::engine
