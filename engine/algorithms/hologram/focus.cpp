#include "algorithms/hologram/focus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "algorithms/hologram/physics.hpp"

namespace parallax::engine::hologram {
namespace {

bool best_is_largest(Metric metric, ObjectKind object) noexcept {
    return (metric == Metric::dubois) == (object == ObjectKind::phase);
}

double median(std::vector<double> values) {
    const std::size_t middle = values.size() / 2;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
    if (values.size() % 2 == 1) return values[middle];
    return .5 * (values[middle] + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle)));
}

/// The curve does not rise out of its own scatter, or has a second top that is as good and elsewhere. `scores` by distance.
bool is_flat(const std::vector<double>& scores, std::size_t best) {
    if (scores.size() < 3) return false;
    const double middle = median(scores), height = scores[best] - middle;
    std::vector<double> off;
    for (const double s : scores) off.push_back(std::fabs(s - middle));
    const double scatter = 1.4826 * median(off);
    if (!(height > 0) || height < 2 * scatter) return true;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const bool far = i > best + 2 || i + 2 < best;
        const bool top = (i == 0 || scores[i] >= scores[i - 1]) && (i + 1 == scores.size() || scores[i] >= scores[i + 1]);
        if (far && top && scores[i] - middle > .9 * height) return true;
    }
    return false;
}

}  // namespace

Focus best_focus(const std::vector<double>& distances, const std::vector<double>& values, Metric metric, ObjectKind object) {
    const bool maximum = best_is_largest(metric, object);
    const auto score = [&](std::size_t i) { return maximum ? values[i] : -values[i]; };

    Focus focus;
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isfinite(values[i]) && score(i) > best) {
            best = score(i);
            focus.index = i;
        }
    focus.distance = distances[focus.index];

    // The next planes on either side, whatever the order of the list.
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t before = none, after = none;
    for (std::size_t i = 0; i < distances.size(); ++i) {
        if (distances[i] < focus.distance && (before == none || distances[i] > distances[before])) before = i;
        if (distances[i] > focus.distance && (after == none || distances[i] < distances[after])) after = i;
    }
    if (before == none || after == none || !std::isfinite(values[before]) || !std::isfinite(values[after])) return focus;

    const double a = distances[before] - focus.distance, b = distances[after] - focus.distance;
    const double slope_a = (values[before] - values[focus.index]) / a, slope_b = (values[after] - values[focus.index]) / b;
    const double curvature = (slope_b - slope_a) / (b - a);
    if (curvature == 0 || !std::isfinite(curvature)) return focus;
    // value = v0 + slope t + curvature t^2 about the best plane; its extremum lies between the neighbours.
    const double slope = slope_a - curvature * a;
    focus.distance += std::clamp(-slope / (2 * curvature), a, b);
    return focus;
}

FocusFlags focus_flags(const std::vector<double>& distances, const std::vector<double>& values, const Autofocus& autofocus,
                       bool in_line) {
    FocusFlags flags;
    const auto [least, most] = std::minmax_element(distances.begin(), distances.end());
    flags.symmetric = in_line && *least < 0 && *most > 0;
    if (distances.size() < 2) return flags;
    const double best = distances[best_focus(distances, values, autofocus.metric, autofocus.object).index];
    flags.at_end = best == *least || best == *most;

    std::vector<std::size_t> order(distances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return distances[a] < distances[b]; });
    const double sign = best_is_largest(autofocus.metric, autofocus.object) ? 1 : -1;
    std::vector<double> scores;
    std::size_t at = 0;
    for (const std::size_t i : order) {
        if (!std::isfinite(values[i])) continue;
        if (distances[i] == best) at = scores.size();
        scores.push_back(sign * values[i]);
    }
    flags.flat = scores.empty() || is_flat(scores, at);
    return flags;
}

std::vector<std::string> FocusRecorder::judge(const std::vector<double>& values) const {
    const std::vector<double>& distances = geometry.distances;
    const FocusFlags flags = focus_flags(distances, values, autofocus, in_line);
    const std::string best = length_text(distances[best_focus(distances, values, autofocus.metric, autofocus.object).index]);
    const auto [least, most] = std::minmax_element(distances.begin(), distances.end());
    std::vector<std::string> warnings;
    if (std::none_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
        return {"autofocus: no plane has a value, since the hologram is not finite (NaN, infinities) or its values overflow: the plane "
                "that is named best is the first one. \"non_finite\" in the job says what to do with such inputs"};
    if (flags.at_end) {
        warnings.push_back(
            fmt::format("autofocus: the best of the planes from {} to {} is at their end, {}: the focus may lie beyond it; take "
                        "a wider range, "
                        "or the other kind of `object`",
                        length_text(*least), length_text(*most), best));
    }
    if (flags.flat) {
        warnings.push_back(fmt::format(
            "autofocus: the best plane, {}, hardly stands out from the others: there may be no object in focus in the range, or "
            "`object` is of the other kind, or another metric sees it better",
            best));
    }
    if (flags.symmetric) {
        warnings.push_back(
            fmt::format("autofocus: the planes lie on both sides of the sensor, and an in-line hologram is as sharp at -d as at "
                        "d: the sign of the "
                        "best plane, {}, means nothing; take distances of one sign",
                        best));
    }
    return warnings;
}

Json FocusRecorder::record(const std::vector<double>& values) const {
    static constexpr const char* metrics[] = {"tenengrad", "variance", "brenner", "laplacian", "dubois"};
    const std::vector<double>& distances = geometry.distances;
    const FocusFlags flags = focus_flags(distances, values, autofocus, in_line);
    const Focus best = best_focus(distances, values, autofocus.metric, autofocus.object);
    Json record{{"metric", metrics[static_cast<int>(autofocus.metric)]},
                {"object", autofocus.object == ObjectKind::amplitude ? "amplitude" : "phase"},
                {"distance_um", Json::array()},
                {"value", values},
                {"method", Json::array()},
                {"at_end", flags.at_end},
                {"flat", flags.flat},
                {"symmetric", flags.symmetric},
                {"best_index", best.index},
                {"plane_distance_um", distances[best.index] * 1e6},
                {"best_distance_um", best.distance * 1e6}};
    for (const double d : distances) record["distance_um"].push_back(d * 1e6);
    for (const Method method : geometry.methods) record["method"].push_back(name_of(method));
    return record;
}

}  // namespace parallax::engine::hologram
