// Times of a few commands, for rates.
#pragma once

#include "core/clock.hpp"
#include "parallax/host/queue.hpp"
#include "timing/statistics.hpp"

#include <chrono>
#include <vector>

namespace parallax::engine::compare {

using Clock = std::chrono::steady_clock;

/// Of `seconds()`, after two that do not count.
template <class Seconds>
double median_of(int count, const Seconds& seconds) {
    std::vector<double> values;
    for (int i = 0; i < count + 2; ++i) {
        const double value = seconds();
        if (i >= 2) values.push_back(value);
    }
    return median(std::move(values));
}

/// By the device's clock where it has one.
template <class Enqueue>
double timed(host::Queue& queue, const Enqueue& enqueue) {
    const auto start = Clock::now();
    const host::Event event = enqueue();
    queue.finish();
    const auto times = event.times();
    return times && times->ended > times->started ? times->seconds() : seconds_since(start);
}

}  // namespace parallax::engine::compare
