#include "core/tuning.hpp"

#include "core/embedded_tuning.hpp"
#include "core/parameters.hpp"
#include "parallax/host/error.hpp"
#include "support/entries.hpp"
#include "support/json_reader.hpp"
#include "support/platform.hpp"
#include "support/json_outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace parallax::engine {
namespace {

constexpr int format_version = 1;

/// As parallax tune writes it: every field is there, and a device may have no architecture.
TunedPolicy parse_entry(const JsonValue& json) {
    const JsonObject fields(json, "an object", {"device", "work", "variant", "best", "policy", "found"});
    const auto text = [](const JsonObject& object, const char* key) {
        const JsonValue value = object.at(key);
        if (!value.json().is_string()) value.refuse("a string");
        return value.json().get<std::string>();
    };
    TunedPolicy entry;
    const JsonObject device(fields.at("device"), "an object", {"backend", "name", "architecture", "vendor", "platform", "type"});
    entry.device = {text(device, "backend"), text(device, "name"),     text(device, "architecture"),
                    text(device, "vendor"),  text(device, "platform"), text(device, "type")};
    const JsonObject work(fields.at("work"), "an object", {"type", "size"});
    entry.work = {text(work, "type"), text(work, "size")};
    entry.variant = text(fields, "variant");
    entry.policy = JsonObject(fields.at("policy"), "an object of policy names and integers").json();
    entry.best = fields.contains("best") && fields.at("best").json() == true;
    const JsonObject found(fields.at("found"), "an object with a date, a driver and the gain");
    for (const char* const key : {"date", "driver", "engine", "ended", "problem"})
        if (found.contains(key)) text(found, key);
    entry.found = found.json();
    return entry;
}

Nearness nearness(const TunedDevice& tuned, const TunedDevice& own) {
    if (tuned.backend != own.backend) return Nearness::other;
    if (tuned.name == own.name && tuned.platform == own.platform) return Nearness::device;
    if (!own.architecture.empty() && tuned.architecture == own.architecture && tuned.platform == own.platform)
        return Nearness::architecture;
    if (tuned.vendor == own.vendor && tuned.type == own.type && tuned.platform == own.platform) return Nearness::vendor;
    return Nearness::other;
}

/// Of the entries that `wanted` takes.
template <class Wanted>
std::optional<Tuning::Match> nearest_entry(const TuningFile& file, const host::DeviceInfo& info, const Wanted& wanted) {
    const TunedDevice own = TunedDevice::of(info);
    Tuning::Match best;
    for (const TunedPolicy& entry : file.entries) {
        if (!wanted(entry)) continue;
        const Nearness near = nearness(entry.device, own);
        if (near == Nearness::other) continue;
        const bool newer =
            best.entry != nullptr && near == best.nearness && entry.found.value("date", "") > best.entry->found.value("date", "");
        if (best.entry == nullptr || near > best.nearness || newer) best = {&entry, near};
    }
    return best.entry != nullptr ? std::optional(best) : std::nullopt;
}

}  // namespace

WorkClass WorkClass::of(const Algorithm& algorithm, const Problem& problem) {
    const ArrayDesc* largest = nullptr;
    for (const auto& [name, desc] : problem.inputs)
        if (largest == nullptr || desc.dense_bytes() > largest->dense_bytes()) largest = &desc;
    if (largest == nullptr) return {"", "small"};
    const std::size_t bytes = largest->dense_bytes();
    std::string elements = algorithm.elements ? algorithm.elements(problem) : std::string();
    if (elements.empty()) elements = parallax::to_string(largest->type);
    return {std::move(elements), bytes < (std::size_t{1} << 20) ? "small" : bytes < (std::size_t{64} << 20) ? "medium" : "large"};
}

TunedDevice TunedDevice::of(const host::DeviceInfo& info) {
    return {std::string(host::to_string(info.backend)), info.name, architecture_of(info), info.vendor, info.platform,
            std::string(host::to_string(info.type))};
}

std::string architecture_of(const host::DeviceInfo& info) {
    if (info.backend == host::Backend::cuda) {   // "compute capability 9.0"
        std::string digits;
        std::copy_if(info.version.begin(), info.version.end(), std::back_inserter(digits),
                     [](char c) { return c >= '0' && c <= '9'; });
        return digits.empty() ? "" : "sm_" + digits;
    }
    if (info.name.starts_with("gfx")) return info.name.substr(0, info.name.find(':'));
    // PoCL: the kind of driver, LLVM's name of the processor, its own name: "pthread-skylake-avx512-Intel(R) Xeon(R)",
    // "cpu-znver3-AMD EPYC".
    for (const std::string_view driver : {"pthread-", "basic-", "cpu-"}) {
        if (!info.name.starts_with(driver)) continue;
        const auto own_name = std::find_if(info.name.begin(), info.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
        std::string name(info.name.begin() + static_cast<std::ptrdiff_t>(driver.size()), own_name);
        while (!name.empty() && name.back() == '-') name.pop_back();
        return name;
    }
    return {};
}

Json TunedPolicy::to_json() const {
    Json json{{"device",
               {{"backend", device.backend},
                {"name", device.name},
                {"architecture", device.architecture},
                {"vendor", device.vendor},
                {"platform", device.platform},
                {"type", device.type}}},
              {"work", {{"type", work.type}, {"size", work.size}}},
              {"variant", variant}};
    if (best) json["best"] = true;
    json["policy"] = policy;
    json["found"] = found;
    return json;
}

TuningFile TuningFile::parse(const std::string& text, const std::string& origin) {
    try {
        const std::optional<Json> json = parse_shallow(text);
        if (!json) throw ConfigError("", "text that is no JSON", "a file that parallax tune wrote");
        const JsonObject fields(JsonValue(*json, ""), "an object", {"parallax_tuning", "algorithm", "entries"});
        const JsonValue version = fields.at("parallax_tuning");
        if (version.json() != format_version)
            version.refuse(fmt::format("{}, the version that this build reads", format_version), "tune again");
        TuningFile file{fields.at("algorithm").text(), {}, origin};
        for (const JsonValue& entry : fields.at("entries").list("an array")) file.entries.push_back(parse_entry(entry));
        return file;
    } catch (const ConfigError& error) {
        throw ConfigError(origin + ": " + error.pointer, error.found, error.expected, error.hint);
    }
}

Json TuningFile::to_json() const {
    Json list = Json::array();
    for (const TunedPolicy& entry : entries) list.push_back(entry.to_json());
    return {{"parallax_tuning", format_version}, {"algorithm", algorithm}, {"entries", std::move(list)}};
}

void TuningFile::put(TunedPolicy entry) {
    const auto same = std::find_if(entries.begin(), entries.end(), [&](const TunedPolicy& e) {
        return e.device.backend == entry.device.backend && e.device.name == entry.device.name &&
               e.device.platform == entry.device.platform && e.work == entry.work && e.variant == entry.variant;
    });
    if (same != entries.end()) *same = std::move(entry);
    else entries.push_back(std::move(entry));
}

std::string_view to_string(Nearness nearness) noexcept {
    switch (nearness) {
        case Nearness::device: return "this device";
        case Nearness::architecture: return "a device of this architecture";
        case Nearness::vendor: return "a device of this vendor and type";
        case Nearness::other: break;
    }
    return "another device";
}

std::string Tuning::Match::describe() const {
    std::string text =
        fmt::format("{}tuned on {}", entry->policy.empty() ? "the defaults, the fastest when " : "", to_string(nearness));
    if (nearness != Nearness::device) text += fmt::format(" ({})", entry->device.name);
    text += fmt::format(", {}, driver {}", entry->found.value("date", "no date"), entry->found.value("driver", "unknown"));
    if (const Json gain = entry->found.value("gain", Json()); gain.is_number() && !entry->policy.empty())
        text += fmt::format(", gain {:.2f}", gain.get<double>());
    return text;
}

Tuning::Tuning(std::vector<TuningFile> files, const std::vector<Algorithm>& algorithms) : files_(std::move(files)) {
    for (TuningFile& file : files_) {
        const auto algorithm =
            std::find_if(algorithms.begin(), algorithms.end(), [&](const Algorithm& a) { return a.name == file.algorithm; });
        if (algorithm == algorithms.end()) continue;
        for (TunedPolicy& entry : file.entries) entry.variant = algorithm->present_name(std::move(entry.variant));
    }
}

Tuning Tuning::load(const std::vector<Algorithm>& algorithms) {
    if (const auto folder = host::platform::environment("PARALLAX_TUNING")) return from_folder(*folder, algorithms);
    std::vector<TuningFile> files;
    for (const host::EmbeddedFile& file : embedded_tuning())
        files.push_back(TuningFile::parse(std::string(file.text), std::string(file.name)));
    return Tuning(std::move(files), algorithms);
}

Tuning Tuning::from_folder(const std::filesystem::path& folder, const std::vector<Algorithm>& algorithms) {
    namespace fs = std::filesystem;
    std::error_code code;
    std::vector<fs::path> paths;
    for (const fs::path& entry : host::entries_of(folder, code))
        if (entry.extension() == ".json" && !entry.filename().string().starts_with('.')) paths.push_back(entry);   // none half written
    if (code)
        throw IoError(folder.string(), code.message(),
                      "PARALLAX_TUNING names a folder of tuning files; an empty one means defaults");
    std::sort(paths.begin(), paths.end());
    std::vector<TuningFile> files;
    for (const fs::path& path : paths) {
        constexpr const char* hint = "PARALLAX_TUNING names a folder of tuning files: remove what is none";
        if (fs::exists(path, code) && !fs::is_regular_file(path, code))
            throw IoError(path.string(), "is a folder, a pipe or a device, and no file", hint);
        constexpr std::size_t most = std::size_t{64} << 20;
        std::string text(std::min<std::uintmax_t>(fs::file_size(path, code), most + 1), '\0');
        std::ifstream stream(path, std::ios::binary);
        stream.read(text.data(), static_cast<std::streamsize>(text.size()));
        if (code || !stream) throw IoError(path.string(), "cannot be read", "look at its permissions");
        if (text.size() > most) throw IoError(path.string(), "is longer than 64 MiB", hint);
        TuningFile file = TuningFile::parse(text, path.string());
        const auto first = std::find_if(files.begin(), files.end(), [&](const TuningFile& f) { return f.algorithm == file.algorithm; });
        if (first != files.end())   // whose entries alone would count
            throw ConfigError(path.string(), fmt::format("a second file for {}, beside {}", file.algorithm, first->origin),
                              "one file for each algorithm in a folder of tuning files",
                              "move one of them away, or put its entries into the other");
        files.push_back(std::move(file));
    }
    return Tuning(std::move(files), algorithms);
}

const TuningFile* Tuning::file(std::string_view algorithm) const noexcept {
    const auto found = std::find_if(files_.begin(), files_.end(), [&](const TuningFile& f) { return f.algorithm == algorithm; });
    return found != files_.end() ? &*found : nullptr;
}

std::optional<Tuning::Match> Tuning::policy(std::string_view algorithm, std::string_view variant, const host::DeviceInfo& device,
                                            const WorkClass& work) const {
    const TuningFile* const entries = file(algorithm);
    if (entries == nullptr) return std::nullopt;
    return nearest_entry(*entries, device, [&](const TunedPolicy& e) { return e.variant == variant && e.work == work; });
}

std::optional<Tuning::Match> Tuning::best(std::string_view algorithm, const host::DeviceInfo& device,
                                          const WorkClass& work) const {
    const TuningFile* const entries = file(algorithm);
    if (entries == nullptr) return std::nullopt;
    const auto match = nearest_entry(*entries, device, [&](const TunedPolicy& e) { return e.best && e.work == work; });
    return match && match->nearness >= Nearness::architecture ? match : std::nullopt;
}

}  // namespace parallax::engine
