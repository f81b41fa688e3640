#include "watchdog.hpp"

#include "parallax/host/context.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace parallax::host {

void watch(Context& context, std::chrono::duration<double> limit, const char* call, std::string_view step,
           const std::function<bool()>& done) {
    using namespace std::chrono;
    const auto start = steady_clock::now();
    while (!done()) {
        const duration<double> waited = steady_clock::now() - start;
        if (waited >= limit) {
            context.abandon(fmt::format("{} did not end within {} s", step, limit.count()));
            throw DeviceError(
                call, 0, "no answer", std::string(step),
                fmt::format(
                    "the device did not end it within {} s and was given up: allow more time (step_timeout_s in a job), use "
                    "smaller tiles, or look at the system's log and start the driver again",
                    limit.count()));
        }
        const duration<double> pause =
            std::clamp<duration<double>>(waited / 50, duration<double>(20e-6), duration<double>(20e-3));
        std::this_thread::sleep_for(std::min<duration<double>>(pause, limit - waited));
    }
}

}  // namespace parallax::host
