// The worker's protocol for programs of others (compare/worker.hpp, docs/peers.md).
#include "parallax/peer.hpp"

#include "cases/saved.hpp"
#include "core/clock.hpp"
#include "job/paths.hpp"
#include "parallax/host/json.hpp"
#include "timing/statistics.hpp"
#include "workers/worker_protocol.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

namespace parallax::lab {

namespace {

using Clock = std::chrono::steady_clock;
using engine::seconds_since;

double timed(const std::function<void()>& work) {
    const auto start = Clock::now();
    if (work) work();
    return seconds_since(start);
}

class PeerWorker {
public:
    explicit PeerWorker(const Peer& peer) : peer_(peer) {}

    Json answer(const Json& request) {
        const std::string what = request.at("do").get<std::string>();
        if (what == "open") return open();
        if (what == "prepare") return prepare(request);
        if (what == "sample") return sample(request);
        if (what == "end_to_end") return end_to_end(request);
        if (what == "sustained") return sustained(request);
        if (what == "energy") return Json::object();   // nobody here has a meter
        if (what == "release") return release();
        throw UnsupportedError("no " + what + " in this program", {});
    }

private:
    Json open() const {
        return {{"device", {{"name", peer_.name}, {"version", peer_.version}, {"vendor", peer_.vendor}, {"type", peer_.gpu ? "gpu" : "cpu"}}},
                {"rates", Json()}};
    }

    Json prepare(const Json& request) {
        release();
        const auto folder = [&](const char* key) { return engine::path_from(request.at(key).get<std::string>()); };
        for (const Json& name : request.at("inputs"))
            if (request.at("job").at("inputs").contains(name.get<std::string>()))
                inputs_.emplace(name.get<std::string>(), engine::compare::fetch_array(folder("input_folder"), name.get<std::string>()));
        row_ = peer_.prepare(request.at("steps").dump(), inputs_);
        row_->run();
        const PeerResults made = row_->results();
        for (const auto& [name, array] : made.arrays) engine::compare::save_array(folder("folder"), name, array);
        Json records = Json::object();
        for (const auto& [name, text] : made.records) records[name] = Json::parse(text);
        return {{"variant", row_->variant}, {"records", std::move(records)}, {"run_s", timed(row_->run)}};
    }

    Json sample(const Json& request) {
        const double budget = request.at("budget_s").get<double>(), least = request.value("least_s", 0.0);
        const auto wanted = request.at("samples").get<std::size_t>();
        const auto start = Clock::now();
        for (int i = 0; i < request.at("warmups").get<int>() && seconds_since(start) < budget; ++i) row_->run();
        const auto sampling = Clock::now();
        Json wall = Json::array(), device = Json::array();
        const auto enough = [&] {
            return wall.size() >= wanted && (seconds_since(sampling) >= least || wall.size() >= 10 * wanted);
        };
        do {
            wall.push_back(timed(row_->run));
            device.push_back(Json());
        } while (!enough() && seconds_since(sampling) < budget);
        return {{"wall", std::move(wall)}, {"device", std::move(device)}, {"stages", Json::object()}};
    }

    /// From host memory to host memory, in three parts.
    struct Once {
        double upload, run, download;
        double wall() const { return upload + run + download; }
    };
    Once once() {
        const double upload = timed(row_->upload), run = timed(row_->run);
        return {upload, run, timed([this] { row_->results(); })};
    }

    Json end_to_end(const Json& request) {
        const double budget = request.at("budget_s").get<double>();
        const auto most = request.at("samples").get<std::size_t>();
        if (request.value("warm", false)) once();
        const auto start = Clock::now();
        Json lists = Json::object();
        do {
            const Once one = once();
            lists["wall"].push_back(one.wall());
            lists["upload"].push_back(one.upload);
            lists["run"].push_back(one.run);
            lists["download"].push_back(one.download);
            lists["device"].push_back(Json());
        } while (lists["wall"].size() < most && seconds_since(start) < budget);
        return lists;
    }

    Json sustained(const Json& request) {
        const double seconds = request.at("seconds").get<double>();
        std::vector<double> walls;
        std::vector<int> each_second;
        const auto start = Clock::now();
        for (double at = 0; at < seconds; at = seconds_since(start)) {
            walls.push_back(once().wall());
            each_second.resize(std::max<std::size_t>(each_second.size(), static_cast<std::size_t>(at) + 1));
            ++each_second[static_cast<std::size_t>(at)];
        }
        const double took = seconds_since(start);
        const auto at = [&](double share) { return engine::compare::percentile(walls, share); };
        return {{"seconds", took},    {"runs", walls.size()}, {"runs_a_second", static_cast<double>(walls.size()) / took},
                {"each_second", each_second}, {"median_s", at(.5)},   {"p95_s", at(.95)},
                {"p99_s", at(.99)},   {"p999_s", at(.999)},   {"worst_s", at(1)}};
    }

    Json release() {
        row_.reset();
        inputs_.clear();
        return Json::object();
    }

    const Peer& peer_;
    Arrays inputs_;
    std::optional<PeerRow> row_;   // goes before what it reads
};

}  // namespace

int serve(const Peer& peer) {
    PeerWorker worker(peer);
    return engine::compare::serve_requests([&worker](const Json& request) { return worker.answer(request); });
}

}  // namespace parallax::lab
