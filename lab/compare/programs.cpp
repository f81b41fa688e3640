// Somebody else's program as a device of a study.
#include "compare/compare.hpp"
#include "report/report.hpp"
#include "workers/device_worker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::compare {

void add_program(std::vector<StudyDevice>& devices, const std::string& label, const std::string& command) {
    if (std::any_of(devices.begin(), devices.end(), [&](const StudyDevice& one) { return one.label == label; }))
        throw ConfigError("--worker", fmt::format("\"{}\", which is the name of another device", label), "a name of its own");
    if (devices.size() >= most_devices)
        throw ConfigError("--worker", fmt::format("\"{}\" beside {} devices", label, devices.size()),
                          fmt::format("at most {} in all", most_devices));
    StudyDevice device{label, {}, {"/bin/sh", "-c", "exec " + command}};
    const auto refuse = [&](const std::string& found) {
        throw ConfigError("--worker", fmt::format("{}={}: {}", label, command, found),
                          "a program that answers as docs/peers.md says",
                          "run it by hand and write {\"do\": \"open\"} to its standard input");
    };
    if (label.empty() || command.empty()) refuse("no name, or no command");
    DeviceWorker worker(Json::object(), {.command = device.command, .environment = {}, .messages = {}, .cache = {}});
    try {
        const Json opened = worker.open(60, false);
        if (opened.contains("error")) refuse(opened["error"].value("message", std::string("an error")));
        const Json info = opened.value("device", Json::object());
        device.info.name = info.value("name", label);
        device.info.driver = info.value("version", std::string());
        device.info.vendor = info.value("vendor", std::string());
        device.info.type = info.value("type", std::string("cpu")) == "gpu" ? host::DeviceType::gpu : host::DeviceType::cpu;
    } catch (const WorkerLost& lost) {
        refuse(lost.what());
    } catch (const Json::exception&) {
        refuse("an answer of another form");
    }
    device.info.backend = host::Backend::native;
    device.info.platform = "a program of its own";
    worker.close();
    devices.push_back(std::move(device));
}

}  // namespace parallax::engine::compare
