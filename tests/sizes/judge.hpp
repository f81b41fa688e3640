// Runs what was drawn, and holds it against something slower.
#pragma once

#include "core/session.hpp"
#include "draw.hpp"

#include <map>
#include <string>

namespace parallax::tests::sizes {

enum class Verdict { right, refused, failed, no_problem };  ///< the last: not a problem after all

struct Result {
    Verdict verdict = Verdict::right;
    std::string variant;  ///< that ran
    std::string against;  ///< "reference", "threaded" or "<variant> of the device"; empty: it did not come to that
    std::string reason;   ///< why it was refused or failed
};

/// A variant that was asked for, or a policy, may refuse; the engine's own choice may not.
class Judge {
public:
    /// `engine`: of the device under test; `reference`: of the native device.
    Judge(engine::Engine& engine, engine::Engine& reference) : engine_(engine), reference_(reference) {}
    Result run(const Draw&);

private:
    struct Outputs;
    Outputs compute(engine::Engine&, const Draw&, const std::string& variant, const Json& policy);
    Outputs expected(const Draw&, const std::string& ran, std::string& against);
    Outputs expected_by_carrier(Draw, const Outputs& made, std::string& against);
    static bool settle(const Draw&, const Outputs& right, double tolerance, Outputs& made);
    bool is_no_problem(const Draw&);
    bool is_affordable(const Draw&, const std::string& variant, double seconds) const;

    engine::Engine& engine_;
    engine::Engine& reference_;
    std::map<std::string, double> pace_;  ///< "hologram reference": the slowest seconds an element yet
};

}  // namespace parallax::tests::sizes
