#include "series/header.hpp"

#include "io/file.hpp"
#include "job/load.hpp"
#include "parallax/host/error.hpp"
#include "support/octets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// Inputs that all items have, as a header has them.
bool are_shared(const Json& files) {
    return files.is_array() && std::all_of(files.begin(), files.end(), [](const Json& file) {
               const auto has = [&](const char* key) { return file.contains(key) && file.at(key).is_string(); };
               return file.is_object() && has("path") && has("xxh3_128");
           });
}

/// An earlier version did not say which inputs they are of.
bool tells_inputs(const Json& header) {
    const Json files = header.value("shared", Json::array());
    return std::all_of(files.begin(), files.end(), [](const Json& file) { return file.contains("input"); });
}

/// What of an input's file the results hang on: what is in it, wherever the folder was moved to, and for which input it is; or else its path.
Json bearing_of_shared(Json file, bool by_input) {
    for (const char* const key : {"input", "names", "path"})
        if (by_input == (std::string_view(key) == "path")) file.erase(key);
    return file;
}

/// Inputs that all items have: which file is another now, and not where in the manifest that stands.
void refuse_other_files(const Json& before, const Json& now, bool by_input, const fs::path& folder) {
    const Json nothing = {{"path", "no such file"}, {"xxh3_128", ""}};
    for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
        const Json &was = i < before.size() ? before[i] : nothing, &is = i < now.size() ? now[i] : nothing;
        if (bearing_of_shared(was, by_input) == bearing_of_shared(is, by_input)) continue;
        const std::string file = is.value("path", std::string()), other = was.value("path", std::string());
        const bool same_place = file == other;
        const char* const what = same_place ? "which has changed since" : "another input of all items than as";
        throw ConfigError("--manifest", fmt::format("{}, {} {} began", file, what, io::show(folder)),
                          same_place ? "the file as it was" : other,
                          "--overwrite does every item again (without --shard); --manifest DIR keeps both; with the file of before --resume "
                          "goes on");
    }
}

/// The first place where two documents differ; nothing: they do not. Json::diff() finds all, in time with their square.
std::optional<Json::json_pointer> first_change(const Json& before, const Json& now, const Json::json_pointer& at = Json::json_pointer{}) {
    if (before == now) return std::nullopt;
    if (before.is_object() && now.is_object()) {
        for (const auto& [key, value] : before.items()) {
            if (!now.contains(key)) return at / key;
            if (const auto change = first_change(value, now.at(key), at / key)) return change;
        }
        for (const auto& [key, value] : now.items())
            if (!before.contains(key)) return at / key;
    }
    if (before.is_array() && now.is_array()) {
        for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i)
            if (const auto change = first_change(before[i], now[i], at / i)) return change;
        return at / std::min(before.size(), now.size());
    }
    return at;
}

/// What of a header the results hang on. The rest is in it, too, and in hashes that are made of it.
Json bearing_on_results(const Json& header, bool by_input) {
    Json json = without_comments(header);
    if (const auto shared = json.find("shared"); shared != json.end())
        for (Json& file : *shared) file = bearing_of_shared(file, by_input);
    Json& job = json["job"];
    for (const char* key : {"retry", "step_timeout_s"})
        if (job.is_object()) job.erase(key);
    return json;
}

}  // namespace

Json identity_of(const Job& job) {
    Json json = engine::to_json(job);
    for (const char* key : {"device", "comment", "memory_limit", "for_each"}) json.erase(key);
    return json;
}

Json header_of(const Json& job, const std::vector<SharedFile>& shared) {
    Json files = Json::array();
    for (const SharedFile& file : shared) {
        files.push_back({{"input", file.input}, {"path", file.path}, {"xxh3_128", file.hash}});
        if (!file.names.empty()) files.back()["names"] = file.names;
    }
    return host::with_octets_as_text({{"parallax_series", 1}, {"job", job}, {"shared", std::move(files)}});
}

bool is_header(const Json& document) {
    return document.is_object() && document.contains("job") && are_shared(document.value("shared", Json::array()));
}

void rename_variants(Json& header, const std::vector<StepSpec>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Json::json_pointer at(fmt::format("/job/steps/{}/variant", i));
        if (!header.contains(at) || !header[at].is_string()) continue;
        header[at] = steps[i].algorithm->present_name(header[at].get<std::string>());
    }
}

void refuse_changes(const Json& whole_before, const Json& whole_now, const fs::path& folder) {
    const bool by_input = tells_inputs(whole_before) && tells_inputs(whole_now);
    const Json before = bearing_on_results(whole_before, by_input), now = bearing_on_results(whole_now, by_input);
    const std::optional<Json::json_pointer> change = first_change(before, now);
    if (!change) return;
    const std::string pointer = change->to_string();
    if (pointer.starts_with("/shared")) refuse_other_files(whole_before.value("shared", Json::array()), whole_now.at("shared"), by_input, folder);
    // Manifests keep lengths in one unit, which need not be that of the job's text or of --set.
    const std::string key = pointer.substr(pointer.rfind('/') + 1);
    const std::size_t unit = key.rfind('_');
    static const auto& units = *new std::set<std::string>{"nm", "um", "mm", "cm", "m"};
    const bool length = unit != std::string::npos && units.contains(key.substr(unit + 1));
    const auto text = [&](const Json& document) {
        const Json::json_pointer at(pointer);
        if (!document.contains(at)) return std::string("nothing");
        return length ? fmt::format("{} of {} {}", key.substr(0, unit), document.at(at).dump(), key.substr(unit + 1))
                      : document.at(at).dump();
    };
    throw ConfigError(pointer.starts_with("/job/") ? pointer.substr(4) : pointer,
                      fmt::format("{}, another job than that of {}", text(now), io::show(folder)), text(before),
                      "--overwrite does every item again (without --shard); --manifest DIR keeps both");
}

}  // namespace parallax::engine::series
