#include "workers/device_worker.hpp"

#include <fmt/format.h>

#include <chrono>

namespace parallax::engine::compare {

DeviceWorker::DeviceWorker(Json device, WorkerOptions options) : device_(std::move(device)), options_(std::move(options)) {}

namespace {

bool is_answer(const Json& json) { return json.is_object() && (!json.contains("error") || json["error"].is_object()); }

}  // namespace

/// What it said last on standard error: often a driver's own words.
std::string DeviceWorker::last_message() const {
    const std::string said = child_ ? child_->last_message() : std::string();
    return said.empty() ? "" : "; it said: " + said;
}

Json DeviceWorker::exchange(const Json& request, double limit_s) {
    const auto start = std::chrono::steady_clock::now();
    const bool written = child_->write_line(request.dump(-1, ' ', false, Json::error_handler_t::replace));
    const auto line = written ? child_->read_line(std::chrono::duration<double>(limit_s), options_.cancelled) : std::nullopt;
    const bool late = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >= limit_s;
    if (line) {
        try {
            Json answer = Json::parse(*line);
            if (is_answer(answer)) {
                losses_ = 0;
                return answer;
            }
        } catch (const Json::exception&) {   // torn by its end
        }
    }
    if (!line && options_.cancelled && options_.cancelled()) {
        child_.reset();
        throw CancelledError("stopped on request; the worker was ended");
    }
    ++losses_;
    const std::string doing = request.value("do", std::string());
    if (!line && late) {
        const std::string said = last_message();
        child_.reset();
        throw WorkerLost("hung",
                         fmt::format("the worker did not answer \"{}\" within {:.4g} s and was ended{}", doing, limit_s, said));
    }
    child_->leave(std::chrono::seconds(1));   // one that is just dying tells how
    const std::string ending = child_->ending() + last_message();
    const bool by_others = child_->was_killed();
    child_.reset();
    throw WorkerLost("crashed", fmt::format("the worker ended during \"{}\": {}", doing, ending), by_others);
}

Json DeviceWorker::open(double limit_s, bool rates) {
    child_ = std::make_unique<host::Child>(host::Child::Options{options_.command, options_.environment, options_.messages});
    ++starts_;
    Json answer = exchange({{"do", "open"},
                            {"device", device_},
                            {"cache", options_.cache},
                            {"quick", options_.quick},
                            {"rates", rates},
                            {"roofs", options_.roofs}},
                           limit_s);
    if (answer.contains("error")) close();   // a worker without a device is asked nothing more
    return answer;
}

Json DeviceWorker::ask(const Json& request, double limit_s) {
    if (given_up()) throw WorkerLost("not run", "the device was given up after three workers were lost one after another", true);
    if (!child_) {
        const int losses = losses_;
        const Json opened = open(limit_s, false);
        losses_ = losses;   // opening alone redeems nothing
        if (opened.contains("error")) return opened;
    }
    Json answer = exchange(request, limit_s);
    if (answer.contains("error") && answer["error"].value("kind", std::string()) == "device") close();   // it leaves by itself
    return answer;
}

void DeviceWorker::close() {
    if (child_) child_->leave(std::chrono::seconds(5));
    child_.reset();
}

}  // namespace parallax::engine::compare
