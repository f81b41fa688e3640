// The worker's protocol for programs of others (compare/worker.hpp, docs/peers.md).
#include "parallax/peer.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "cases/saved.hpp"
#include "core/clock.hpp"
#include "job/paths.hpp"
#include "parallax/host/json.hpp"
#include "timing/sampling.hpp"
#include "workers/worker_protocol.hpp"

namespace parallax::lab {

namespace {

using namespace engine::compare;

double timed(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    if (work) work();
    return engine::seconds_since(start);
}

class PeerWorker {
public:
    explicit PeerWorker(const Peer& peer) : peer_(peer) {}

    Json answer(const Json& request) {
        const std::string what = request.at("do").get<std::string>();
        if (what == "open") return open();
        if (what == "prepare") return prepare(request);
        if (what == "sample") return take_samples(request, [this] { return run(); });
        if (what == "end_to_end") return take_end_to_end(request, [this] { return once(); });
        if (what == "sustained") return run_without_pause(request, [this] { return once().wall; });
        if (what == "energy") return Json::object();   // nobody here has a meter
        if (what == "release") return release();
        throw UnsupportedError("no " + what + " in this program", {});
    }

private:
    Json open() const {
        return {
            {"device",
             {{"name", peer_.name}, {"version", peer_.version}, {"vendor", peer_.vendor}, {"type", peer_.gpu ? "gpu" : "cpu"}}},
            {"rates", Json()}};
    }

    Json prepare(const Json& request) {
        release();
        const auto folder = [&](const char* key) { return engine::path_from(request.at(key).get<std::string>()); };
        for (const Json& name : request.at("inputs"))
            if (request.at("job").at("inputs").contains(name.get<std::string>()))
                inputs_.emplace(name.get<std::string>(), fetch_array(folder("input_folder"), name.get<std::string>()));
        row_ = peer_.prepare(request.at("steps").dump(), inputs_);
        row_->run();
        const PeerResults made = row_->results();
        for (const auto& [name, array] : made.arrays) save_array(folder("folder"), name, array);
        Json records = Json::object();
        for (const auto& [name, text] : made.records) records[name] = Json::parse(text);
        return {{"variant", row_->variant}, {"records", std::move(records)}, {"run_s", timed(row_->run)}};
    }

    /// Nobody tells what a device took.
    Sample run() const {
        Sample sample;
        sample.wall = timed(row_->run);
        return sample;
    }

    /// From host memory to host memory, in three parts.
    EndToEnd once() const {
        const double upload = timed(row_->upload), run = timed(row_->run), download = timed([this] { row_->results(); });
        return {.wall = upload + run + download, .upload = upload, .run = run, .download = download};
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
    return serve_requests([&worker](const Json& request) { return worker.answer(request); });
}

}  // namespace parallax::lab
