// One algorithm on arrays: what goes in, what comes out.
#pragma once

#include "parallax/device_array.hpp"
#include "parallax/event.hpp"
#include "parallax/record.hpp"
#include "parallax/view.hpp"

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace parallax {

/// The caller's memory, or an array that is on the device already.
using Input = std::variant<Array, View>;
using Inputs = std::map<std::string, Input>;

/// What a call may say beside its parameters; all of it may be left out.
struct CallOptions {
    std::vector<std::string> outputs = {};             ///< which are wanted; empty: those that the algorithm always gives
    Inputs inputs = {};                                ///< optional inputs
    /// Outputs that go into arrays which are there: dense, of the right type and size, and no part of an input or of another
    /// output. ConfigError otherwise; arithmetic, convert, mask and threshold may write where an input of as large elements is.
    std::map<std::string, Array> into = {};
    std::string variant = {};                          ///< empty: the best that can
    std::string policy = {};                           ///< JSON, with a variant only
    std::vector<Event> wait = {};                      ///< what must be complete first
    CancelToken cancel = CancelToken::none();
};

struct Call {
    std::string algorithm;
    std::string parameters = "{}";                     ///< JSON, as in a step of a job
    Inputs inputs = {};
    CallOptions options = {};
};

/// A call from a struct of parallax/algorithms.hpp: call(HologramParameters{.distance_um = 900}, {{"hologram", frame}}).
template <class P>
    requires requires { P::algorithm; }
Call call(const P& parameters, Inputs inputs = {}, CallOptions options = {}) {
    return {P::algorithm, parameters.json(), std::move(inputs), std::move(options)};
}

struct PARALLAX_API Result {
    std::map<std::string, Array> arrays;
    std::map<std::string, std::string> records;        ///< JSON: a focus curve, counts, statistics
    std::vector<std::string> warnings;
    std::string report;   ///< JSON: variant, policy, refusals with reasons, kernels, stages with times

    /// Throws ConfigError with the names that there are.
    const Array& array(const std::string& name) const;
    const std::string& record(const std::string& name) const;
    /// The same to be asked for values: result.values("focus").number("best/distance_um").
    Record values(const std::string& name) const { return Record(record(name)); }
};

}  // namespace parallax
