// The fault layer as the tests see it.
#pragma once

#include "layer/layer.h"

#include <array>
#include <string>

namespace parallax::tests::faults {

/// References of each kind that are alive.
using Live = std::array<long, parallax_faults_kinds>;
std::string describe(const Live&);

enum class Mode { once, from_then_on };

/// The layer that the loader has put before every driver of this process; its file lies beside the test program.
/// Everything is off until it is asked for.
class Layer {
public:
    /// Throws std::runtime_error where the loader did not take the layer.
    Layer();
    void arm(long nth, int code, Mode mode) const {
        arm_(nth, code, mode == Mode::once ? parallax_faults_once : parallax_faults_from_then_on);
    }
    void disarm() const { arm_(0, 0, parallax_faults_once); }
    long calls() const { return calls_(); }
    /// The call that failed first, empty while none has.
    std::string failed() const { return failed_(); }
    Live live() const;
    /// A smaller device, see parallax_faults_limit().
    void limit(unsigned long local_memory, unsigned long added, unsigned long group, const std::string& kernels = "") const {
        limit_(local_memory, added, group, kernels.c_str());
    }
    long refused() const { return refused_(); }
    void stall(bool on) const { stall_(on ? 1 : 0); }

private:
    decltype(&parallax_faults_arm) arm_;
    decltype(&parallax_faults_calls) calls_;
    decltype(&parallax_faults_failed) failed_;
    decltype(&parallax_faults_live) live_;
    decltype(&parallax_faults_limit) limit_;
    decltype(&parallax_faults_refused) refused_;
    decltype(&parallax_faults_stall) stall_;
};

}  // namespace parallax::tests::faults
