// Says where a run is, and ends it when the caller wants it to end.
#pragma once

#include "exec/device_work.hpp"
#include "job/runner.hpp"

#include <string>

namespace parallax::engine {

class Progress {
public:
    /// `told`: whether anybody hears of it; the caller's wish to end is asked for in any case.
    Progress(const Prepared&, const RunOptions&, bool told = true);
    /// Throws CancelledError.
    void begin(const std::string& stage);
    /// The share of the stage that is done. Throws CancelledError.
    void advance(double share) const;
    void end() const { tell("done", 1.0); }
    /// Has the work speak to this, which must outlive it.
    void follow(DeviceWork&);

private:
    void stop_if_cancelled() const;
    void tell(const std::string& stage, double done) const;

    const RunOptions& options_;
    bool told_;
    std::string stage_;
    double total_, done_ = 0;
};

}  // namespace parallax::engine
