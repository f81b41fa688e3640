#include "options.hpp"

#include "text.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

namespace parallax::python {

EngineOptions engine_options(const std::string& device, const std::string& cache_folder, nb::object log,
                             std::uint64_t memory_limit, std::uint64_t plan_memory) {
    EngineOptions options{device, cache_folder, {}, memory_limit, plan_memory};
    if (auto say = callback<const std::string&, const std::string&>(std::move(log))) {
        options.log = [say](LogLevel level, const std::string& text) {
            static constexpr const char* names[] = {"debug", "info", "warning", "error"};
            say(names[static_cast<int>(level)], text);
        };
    }
    return options;
}

JobOptions job_options(const nb::dict& given) {
    JobOptions options;
    const auto take = [&]<class T>(const char* name, T& value) {
        if (given.contains(name)) value = nb::cast<T>(given[name]);
    };
    const auto take_path = [&](const char* name, std::string& value) {
        if (given.contains(name)) value = path(given[name]);
    };
    take_path("folder", options.folder);
    if (given.contains("roots"))
        for (const auto& [name, folder] : nb::cast<nb::dict>(given["roots"])) options.roots.insert_or_assign(path(name), path(folder));
    take_path("out", options.out);
    take("overwrite", options.overwrite);
    take("confined", options.confined);
    take("sync", options.sync);
    take_path("manifest", options.manifest);
    take("resume", options.resume);
    take("shard", options.shard);
    take("shards", options.shards);
    take("readers", options.readers);
    take("writers", options.writers);
    take("in_flight", options.in_flight);
    take_path("trace", options.trace);
    take("ranks", options.ranks);
    return options;
}

nb::object device_dict(const DeviceInfo& info) {
    nb::dict result;
    result["index"] = info.index;
    result["name"] = info.name;
    result["backend"] = std::string(host::to_string(info.backend));
    result["type"] = std::string(host::to_string(info.type));
    result["vendor"] = info.vendor;
    result["platform"] = info.platform;
    result["driver"] = info.driver;
    result["global_memory"] = info.global_memory;
    result["max_allocation"] = info.max_allocation;
    result["local_memory"] = info.local_memory;
    result["compute_units"] = info.compute_units;
    return result;
}

}   // namespace parallax::python
