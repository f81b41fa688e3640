#include "timing/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <vector>

#include "core/clock.hpp"
#include "timing/statistics.hpp"

namespace parallax::engine::compare {

namespace {

using Clock = std::chrono::steady_clock;

/// A time that the driver does not tell is null.
Json told(double seconds) { return seconds < 0 ? Json() : Json(seconds); }

}   // namespace

Json take_samples(const Json& request, const std::function<Sample()>& run) {
    const double budget = request.at("budget_s").get<double>(), least = request.value("least_s", 0.0),
                 warm = request.value("warm_s", 0.0);
    const auto wanted = request.at("samples").get<std::size_t>(), most = request.value("values", std::numeric_limits<std::size_t>::max());
    const auto warmups = request.at("warmups").get<int>();
    const auto start = Clock::now();
    for (int i = 0; (i < warmups || seconds_since(start) < warm) && seconds_since(start) < budget; ++i) run();
    const auto sampling = Clock::now();
    Json wall = Json::array(), device = Json::array(), stages = Json::object();
    const auto enough = [&] { return wall.size() >= wanted && (seconds_since(sampling) >= least || wall.size() >= 10 * wanted); };
    do {
        const Sample one = run();
        wall.push_back(one.wall);
        device.push_back(told(one.device));
        for (const auto& [name, seconds] : one.stages) stages[name].push_back(seconds);
    } while (!enough() && seconds_since(sampling) < budget && (wall.size() + 1) * (2 + stages.size()) <= most);
    return {{"wall", std::move(wall)}, {"device", std::move(device)}, {"stages", std::move(stages)}};
}

Json take_end_to_end(const Json& request, const std::function<EndToEnd()>& run) {
    const double budget = request.at("budget_s").get<double>();
    const auto most = request.at("samples").get<std::size_t>();
    if (request.value("warm", false)) run();
    const auto start = Clock::now();
    Json lists = Json::object();
    do {
        const EndToEnd one = run();
        lists["wall"].push_back(one.wall);
        lists["upload"].push_back(one.upload);
        lists["run"].push_back(one.run);
        lists["download"].push_back(one.download);
        lists["device"].push_back(told(one.device));
    } while (lists["wall"].size() < most && seconds_since(start) < budget);
    return lists;
}

Json run_without_pause(const Json& request, const std::function<double()>& run) {
    const double seconds = request.at("seconds").get<double>();
    std::vector<double> latencies;
    std::vector<int> each_second;
    const auto start = Clock::now();
    for (double at = 0; at < seconds; at = seconds_since(start)) {
        latencies.push_back(run());
        each_second.resize(std::max<std::size_t>(each_second.size(), static_cast<std::size_t>(at) + 1));
        ++each_second[static_cast<std::size_t>(at)];
    }
    const double took = seconds_since(start);
    const auto at = [&](double share) { return percentile(latencies, share); };
    return {{"seconds", took},
            {"runs", latencies.size()},
            {"runs_a_second", static_cast<double>(latencies.size()) / took},
            {"each_second", each_second},
            {"median_s", at(0.5)},
            {"p95_s", at(0.95)},
            {"p99_s", at(0.99)},
            {"p999_s", at(0.999)},
            {"worst_s", at(1)}};
}

}   // namespace parallax::engine::compare
