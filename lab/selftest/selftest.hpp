// Does this device compute what the reference computes? Every variant that is written for its backend runs small problems.
#pragma once

#include "core/algorithm.hpp"
#include "core/verdicts.hpp"
#include "selftest/row.hpp"

#include <functional>
#include <string>
#include <vector>

namespace parallax::engine::selftest {

struct Options {
    std::vector<std::string> algorithms;         ///< empty: all
    bool thorough = false;                       ///< every variant, type, operation and size with each other
    int workers = 0;                             ///< processes that compile and run side by side; 0: one a core, 8 at most
    double limit_s = 300;                        ///< a row that takes longer has failed
    std::vector<std::string> worker;   ///< program and arguments of a worker; empty: all in this process, one after another
    std::function<void(const std::string& what, double done)> progress = {};   ///< before each row, in any thread; done: 0 to 1
    std::function<bool()> cancelled = {};
};

/// Rows in the order of the registry: every problem by the variant that a job would get, and every other variant by one of them.
/// Each is held against the variant "reference" on the native device. Variants for other backends are no rows; nor are peers that
/// are not there. A variant that throws, and a driver that ends or hangs its process, is a failed row, and the rest goes on.
/// An algorithm without a problem is a failed row. Throws ConfigError (pointer "--algorithm") for a name that is no algorithm,
/// and CancelledError.
std::vector<Row> run(const host::DeviceInfo&, const Registry&, const Options&);

/// What is known of a device after these rows: verdicts on algorithms that were not tried stay as they were.
std::vector<Verdict> verdicts_after(const std::vector<Row>&, std::vector<Verdict> before, const Registry&);

struct Tested {
    std::vector<Row> rows;
    std::vector<Verdict> verdicts;   ///< what is not chosen on the device from now on
    double seconds = 0;
};

/// run(), and its verdicts kept for this user.
Tested test_and_remember(const host::DeviceInfo&, const Registry&, const Options&);
Json to_json(const Tested&, const host::DeviceInfo&);

}  // namespace parallax::engine::selftest
