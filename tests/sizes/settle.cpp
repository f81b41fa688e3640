#include "settle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace parallax::tests::sizes {

namespace {

constexpr double least_ssim = 1e-6, least_psnr = 5e-5;  // 1e-5 of the mean squared error is 4.3e-5 dB
constexpr double least_pixel = 1e-3;                    // of a carrier; floats find it to 3e-5 where it stands out
constexpr double equal_peaks = 1.01;

void settle(Json& made, const Json& right, const char* key, double floor) {
    if (!made.is_object() || !right.is_object() || !made.contains(key) || !right.contains(key)) return;
    if (!made[key].is_number() || !right[key].is_number()) return;
    if (std::abs(made[key].get<double>() - right[key].get<double>()) <= floor) made[key] = right[key];
}

std::vector<double> numbers(const Json& list) {
    std::vector<double> values;
    for (const Json& value : list)
        values.push_back(value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN());
    return values;
}

double largest(const std::vector<double>& values) {
    double most = 0;
    for (const double v : values)
        if (std::isfinite(v)) most = std::max(most, std::abs(v));
    return most;
}

/// How far from the best plane the extremum through three planes may move where each value is off by `error`.
double loose_distance(const std::vector<double>& distances, const std::vector<double>& values, std::size_t best, double error) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < distances.size(); ++i) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return distances[a] < distances[b]; });
    const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), best) - order.begin());
    if (at == 0 || at + 1 >= order.size()) return 0;
    const double gap = distances[order[at + 1]] - distances[order[at - 1]];
    const double fall = std::max(std::abs(values[order[at - 1]] - values[best]), std::abs(values[order[at + 1]] - values[best]));
    return fall > 0 ? std::min(gap, 4 * gap * error / fall) : gap;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : .5 * (values[middle - 1] + values[middle]);
}

/// Whether a curve is flat (engine/algorithms/hologram/focus.hpp) hangs on differences that values so inexact do not tell.
bool is_flatness_doubtful(const std::vector<double>& values, std::size_t best, double error) {
    const double middle = median(values), height = std::abs(values[best] - middle);
    std::vector<double> off;
    for (const double value : values) off.push_back(std::abs(value - middle));
    if (std::abs(height - 2 * 1.4826 * median(off)) <= 6 * error) return true;
    const double up = values[best] >= middle ? 1 : -1;
    return std::any_of(values.begin(), values.end(),
                       [&](double value) { return std::abs(up * (value - middle) - .9 * height) <= 3 * error; });
}

}  // namespace

void settle_phase(HostArray& made, const HostArray& right, const HostArray& amplitude, double tolerance) {
    if (made.desc.describe() != right.desc.describe()) return;
    float* const phase = made.as<float>();
    const float *const expected = right.as<float>(), *const light = amplitude.as<float>();
    const std::int64_t count = right.desc.count();
    const double most = count > 0 ? *std::max_element(light, light + count) : 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double apart =
            std::remainder(static_cast<double>(phase[i]) - static_cast<double>(expected[i]), 2 * std::numbers::pi);
        if (std::abs(apart) * static_cast<double>(light[i]) <= tolerance * most) phase[i] = expected[i];
    }
}

bool settle_focus(Json& made, const Json& right, double tolerance) {
    if (!made.is_object() || !right.is_object() || !made.contains("best_index")) return false;
    const std::vector<double> values = numbers(right.at("value")), distances = numbers(right.at("distance_um"));
    const auto mine = made["best_index"].get<std::size_t>(), best = right.at("best_index").get<std::size_t>();
    if (mine >= values.size() || best >= values.size()) return false;
    constexpr double least_error = 1e-12;   // rounding of an amplitude of 1, squared: a field without any object in it
    const double error = std::max(tolerance * largest(values), least_error);
    if (mine != best) {
        if (!(std::abs(values[mine] - values[best]) <= 2 * error)) return false;
        for (const char* const key : {"best_index", "plane_distance_um", "best_distance_um", "at_end", "flat"})
            made[key] = right.at(key);
        return true;
    }
    settle(made, right, "best_distance_um", loose_distance(distances, values, best, error));
    if (made["flat"] != right.at("flat") && is_flatness_doubtful(values, best, error)) made["flat"] = right.at("flat");
    return false;
}

void settle_carrier(Json& made, const Json& right) {
    if (!made.is_object() || !right.is_object()) return;
    if (right.value("confidence", 2.0) < equal_peaks && made.value("confidence", 2.0) < equal_peaks) {
        made = right;
        return;
    }
    for (const char* const key : {"x", "y", "radius"}) settle(made, right, key, least_pixel);
    settle(made, right, "confidence", 1e-3 * right.value("confidence", 0.0));
}

void settle_metrics(Json& made, const Json& right) {
    settle(made, right, "ssim", least_ssim);
    settle(made, right, "psnr_db", least_psnr);
}

}  // namespace parallax::tests::sizes
