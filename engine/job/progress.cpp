#include "job/progress.hpp"

namespace parallax::engine {

Progress::Progress(const Prepared& prepared, const RunOptions& options, bool told)
    : options_(options),
      told_(told && options.progress),
      total_(static_cast<double>(1 + prepared.inputs.size() + 2 * prepared.resolved.steps.size() + 2 * prepared.outputs.size())) {
}

void Progress::stop_if_cancelled() const {
    if (options_.cancelled && options_.cancelled()) throw CancelledError("stopped on request; no output was written");
}

void Progress::tell(const std::string& stage, double done) const {
    if (told_) options_.progress(stage, done);
}

void Progress::begin(const std::string& stage) {
    stop_if_cancelled();
    tell(stage, done_ / total_);
    stage_ = stage;
    ++done_;
}

void Progress::advance(double share) const {
    stop_if_cancelled();
    tell(stage_, (done_ - 1 + share) / total_);
}

void Progress::follow(DeviceWork& work) {
    work.begin_stage = [this](const std::string& stage) { begin(stage); };
    work.advance = [this](double share) { advance(share); };
}

}  // namespace parallax::engine
