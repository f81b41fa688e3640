#include "failure.hpp"

#include "circumstances.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace parallax::host {

std::int64_t seconds_since_1970() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::int64_t Failure::until() const {
    constexpr double least_s = 600, growth = 6, most_s = 30 * 86400.0;
    const double first = std::clamp(12 * took_s, least_s, most_s);
    return at + std::llround(std::min(first * std::pow(growth, std::clamp(times, 1, 10) - 1), most_s));
}

bool Failure::holds() const {
    const std::int64_t now = seconds_since_1970();
    return at <= now && now < until() && circumstances == host::circumstances();
}

Json Failure::to_json() const { return {{"circumstances", circumstances}, {"at", at}, {"times", times}, {"took_s", took_s}}; }

Failure failure_now(const std::optional<Failure>& before, double took_s) {
    Failure failure{circumstances(), seconds_since_1970(), 1, took_s};
    if (before && before->circumstances == failure.circumstances && before->at <= failure.at)
        failure.times = std::clamp(before->times, 0, 1000) + 1;
    return failure;
}

std::optional<Failure> failure_from(const Json& json) {
    try {
        return Failure{json.at("circumstances"), json.at("at"), json.at("times"), json.at("took_s")};
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace parallax::host
