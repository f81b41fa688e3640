// Does this device compute what the reference computes? Every variant that is written for its backend runs a small problem.
#pragma once

#include "compare/agreement.hpp"
#include "core/session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace parallax::engine::selftest {

enum class Outcome { pass, refused, failed };
std::string_view to_string(Outcome) noexcept;    ///< "pass", "refuse", "fail"

/// One variant on one problem.
struct Row {
    std::string algorithm, problem, variant;
    bool peer = false;                           ///< another's library
    Outcome outcome = Outcome::pass;
    std::string reason;                          ///< why it refused or failed; a failed build or launch says its message
    compare::Agreement agreement;                ///< where it ran to its end
    bool ran = false;                            ///< to its end: `agreement` says something
    double seconds = 0;                          ///< compiling included
    Json to_json() const;
};

/// Called before each row with how much is done, 0 to 1.
using Progress = std::function<void(const std::string& what, double done)>;

/// Runs the problems of the algorithms that are named, all for an empty list, on `engine`, and holds them against the
/// variant "reference" on `judge`, an engine of the native device. Variants for other backends are no rows; nor are peers that
/// are not there. A variant that throws is a failed row and the rest goes on, on a device opened anew if its context is lost.
/// An algorithm without a problem is a failed row. Throws ConfigError (pointer "--algorithm") for a name that is no algorithm.
///
///     Engine engine(*device), judge(*native);
///     const bool sound = passed(run(engine, judge, {"fft"}));
std::vector<Row> run(Engine& engine, Engine& judge, const std::vector<std::string>& algorithms, const Progress& = {});

/// No row failed, and at least one passed.
bool passed(const std::vector<Row>&);

}  // namespace parallax::engine::selftest
