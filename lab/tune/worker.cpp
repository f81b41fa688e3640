#include "tune/worker.hpp"

#include "workers/worker_protocol.hpp"
#include "parallax/host/enumerate.hpp"
#include "parallax/host/error.hpp"
#include "tune/messages.hpp"
#include "peers/peers.hpp"

#include <limits>
#include <map>
#include <memory>

namespace parallax::engine::tune {
namespace {

class Worker {
public:
    Json answer(const Json& request) {
        const std::string what = request.at("do").get<std::string>();
        if (what == "open") return open(request);
        if (what == "problem") return problem(request);
        CandidateRunner& trial = *trials_.at(request.at("problem").get<std::size_t>());
        if (what == "reference") {
            trial.make_reference();
            return Json::object();
        }
        if (what == "why_not") return {{"reason", trial.why_not(request.at("variant").get<std::string>())}};
        if (what == "build") {
            std::vector<Candidate> ways;
            for (const Json& way : request.at("ways")) ways.push_back(candidate_from(way));
            trial.build(ways, request.at("threads").get<int>());
            return Json::object();
        }
        if (what == "measure") {
            Json measured = to_json(trial.measure(candidate_from(request.at("way")),
                                                  request.value("best_s", std::numeric_limits<double>::infinity())));
            measured["clock"] = trial.times_are_of_device() ? "device" : "host";
            return measured;
        }
        if (what == "duel")
            return to_json(trial.duel(candidate_from(request.at("first")), candidate_from(request.at("second")),
                                      request.at("budget_s").get<double>(), request.at("least_gain").get<double>()));
        throw Error("a tuning worker was asked to \"" + what + "\": this is a fault of the engine");
    }

private:
    Json open(const Json& request) {
        device_ = compare::find_device(request.at("device"));
        engine_ = std::make_unique<Engine>(*device_, registry_with_peers(), host::ContextOptions{host::ProgramCache::open()});
        judge_ = std::make_unique<Engine>(*host::native_device(), engine_->registry());
        return {{"device", device_->info().name}};
    }

    /// Trials of one set at a time: their arrays are on the device.
    Json problem(const Json& request) {
        if (request.at("set") != set_json_) {
            trials_.clear();
            set_json_ = request["set"];
            set_ = problem_set_from(set_json_);
        }
        const auto index = request.at("problem").get<std::size_t>();
        std::unique_ptr<CandidateRunner>& trial = trials_[index];
        if (!trial)
            trial =
                std::make_unique<CandidateRunner>(*engine_, *judge_, set_, index == 0 ? set_.problem : set_.checks.at(index - 1));
        const WorkClass work = trial->work();
        return {{"type", work.type}, {"size", work.size}};
    }

    std::shared_ptr<const host::Device> device_;
    std::unique_ptr<Engine> engine_, judge_;
    Json set_json_;
    ProblemSet set_;
    std::map<std::size_t, std::unique_ptr<CandidateRunner>> trials_;
};

}  // namespace

int serve() {
    Worker worker;
    return compare::serve_requests([&worker](const Json& request) { return worker.answer(request); });
}

}  // namespace parallax::engine::tune
