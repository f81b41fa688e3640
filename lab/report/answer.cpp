#include "report/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "report/samples.hpp"
#include "report/selection.hpp"
#include "timing/statistics.hpp"

namespace parallax::engine::compare {

namespace {

std::optional<double> seconds_in(const Json& row, Span span) {
    const Rounds rounds = rounds_of(row, span);
    if (row["outcome"] != "ok" || !is_timed(rounds)) return std::nullopt;
    return median(flat(rounds));
}

Json to_speed(const Estimate& e) {
    Json speed{{"ratio", e.median}, {"low", e.low}, {"high", e.high}};
    tell_confidence(speed, e);
    return speed;
}
Estimate inverse(const Estimate& e) { return {1 / e.median, 1 / e.high, 1 / e.low, e.confidence}; }

/// A case at a place of its grid, with the fastest row of each device.
struct AnswerPoint {
    Json id, grid;
    std::vector<std::optional<std::size_t>> rows;
};

std::vector<AnswerPoint> points_of(const Json& report, Span span) {
    std::vector<AnswerPoint> points;
    std::map<std::string, std::size_t> found;
    const Json& rows = report["rows"];
    std::vector<std::optional<double>> seconds(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const Json& row = rows[r];
        const auto [at, fresh] = found.emplace(row["case"].get<std::string>() + row["grid"].dump(), points.size());
        if (fresh)
            points.push_back({row["case"], row["grid"], std::vector<std::optional<std::size_t>>(report["devices"].size())});
        seconds[r] = seconds_in(row, span);
        std::optional<std::size_t>& best = points[at->second].rows[row["device"].get<std::size_t>()];
        if (seconds[r] && (!best || *seconds[r] < *seconds[*best])) best = r;
    }
    return points;
}

/// Of device i against device j: null where j has no time, and no list where i has none.
Json speeds_at(const AnswerPoint& point, const Json& report, Span span) {
    std::vector<std::size_t> timed;
    std::vector<Rounds> rounds;
    Json speeds(point.rows.size(), Json::array());
    for (std::size_t d = 0; d < point.rows.size(); ++d) {
        if (!point.rows[d]) continue;
        timed.push_back(d);
        rounds.push_back(rounds_of(report["rows"][*point.rows[d]], span));
        speeds[d] = Json(point.rows.size(), Json());
        speeds[d][d] = to_speed({1, 1, 1});
    }
    for (std::size_t i = 0; i < timed.size(); ++i) {
        for (std::size_t j = i + 1; j < timed.size(); ++j) {
            const Apart apart = apart_of(report["rows"][*point.rows[timed[i]]], report["rows"][*point.rows[timed[j]]]);
            const Estimate speed = estimate_ratio(rounds[j], rounds[i], apart);   // the time of the one by the time of the other
            speeds[timed[i]][timed[j]] = to_speed(speed);
            speeds[timed[j]][timed[i]] = to_speed(inverse(speed));
        }
    }
    return speeds;
}

/// The speeds of one device against another at all points.
struct Overall {
    std::map<std::string, std::vector<double>> of_case;
    std::vector<double> all;
    Json first;

    void add(const Json& id, const Json& speed) {
        if (all.empty()) first = speed;
        all.push_back(speed["ratio"].get<double>());
        of_case[id.get<std::string>()].push_back(all.back());
    }

    /// Each case counts once, by the geometric mean of its points; of a single case each point does.
    Json mean() const {
        if (all.empty()) return nullptr;
        std::vector<double> counted;
        for (const auto& [id, ratios] : of_case) counted.push_back(geometric_mean(ratios).median);
        Json result = all.size() == 1 ? first : to_speed(geometric_mean(of_case.size() > 1 ? counted : all));
        result["cases"] = of_case.size();
        return result;
    }
};

Json answer_by(const Json& report, Span span) {
    const std::size_t devices = report["devices"].size();
    std::vector<std::vector<Overall>> overall(devices, std::vector<Overall>(devices));
    Json listed = Json::array(), means = Json::array();
    for (const AnswerPoint& point : points_of(report, span)) {
        Json speeds = speeds_at(point, report, span), rows = Json::array();
        for (const auto& row : point.rows) rows.push_back(row ? Json(*row) : Json());
        for (std::size_t i = 0; i < devices; ++i)
            for (std::size_t j = 0; j < speeds[i].size(); ++j)
                if (const Json& speed = speeds[i][j]; !speed.is_null()) overall[i][j].add(point.id, speed);
        listed.push_back({{"case", point.id}, {"grid", point.grid}, {"rows", std::move(rows)}, {"speed", std::move(speeds)}});
    }
    for (const auto& of : overall) {
        means.push_back(Json::array());
        for (const Overall& against : of) means.back().push_back(against.mean());
    }
    return {{"points", std::move(listed)}, {"overall", std::move(means)}};
}

std::string label_of(const Json& report, std::size_t device) { return report["devices"][device]["label"].get<std::string>(); }

/// In how many cases each device is the fastest, and how much faster the first of them is than the others.
std::vector<std::string> ranking(const Json& report) {
    const std::string by = report["answer"]["by"].get<std::string>();
    const Json& of = report["answer"]["spans"][by];
    const std::size_t devices = report["devices"].size();
    if (devices < 2) return {};
    std::vector<std::size_t> wins(devices);
    std::size_t points = 0;
    for (const Json& point : of["points"]) {
        std::optional<std::size_t> best;
        std::size_t timed = 0;
        for (std::size_t d = 0; d < devices; ++d) {
            if (point["rows"][d].is_null()) continue;
            ++timed;
            if (!best || point["speed"][d][*best]["ratio"] > 1) best = d;
        }
        if (timed < 2) continue;
        ++points;
        ++wins[*best];
    }
    if (points == 0) return {};
    // Who is fastest in most cases stands first; of equals, who is faster over all.
    std::size_t first = 0;
    for (std::size_t d = 1; d < devices; ++d) {
        const Json& mean = of["overall"][d][first];
        if (wins[d] > wins[first] || (wins[d] == wins[first] && !mean.is_null() && mean["ratio"] > 1)) first = d;
    }
    std::string text = fmt::format("{}: {} is the fastest at {} of {} point{}",
                                   by == "end_to_end" ? "From host memory to host memory" : "By the device's time",
                                   label_of(report, first), wins[first], points, points == 1 ? "" : "s");
    for (std::size_t d = 0; d < devices; ++d) {
        const Json& mean = of["overall"][first][d];
        if (d == first || mean.is_null()) continue;
        const double low = mean["low"].get<double>(), high = mean["high"].get<double>();
        const bool differ = high > 1000 * low;   // of two or three cases that differ nothing follows for a fourth
        const std::string interval = differ ? fmt::format("({} cases that differ)", mean.value("cases", 0))
                                            : interval_text(low, high, mean.value("confidence", usual_confidence));
        text += low <= 1 && high >= 1
                    ? fmt::format("; against {} no difference over the cases is sure {}", label_of(report, d), interval)
                    : fmt::format("; {} times as fast as {} {}", short_number(mean["ratio"].get<double>()), label_of(report, d),
                                  interval);
    }
    return {text};
}

/// Who keeps up with the frames that a case wants.
std::vector<std::string> frames(const Json& report) {
    std::vector<std::string> lines;
    std::map<std::string, std::vector<const Json*>> points;   // of each case
    for (const Json& point : report["answer"]["spans"]["end_to_end"]["points"])
        points[point["case"].get<std::string>()].push_back(&point);
    for (const Json& one : report["study"]["cases"]) {
        if (!one.contains("frames_a_second")) continue;
        const double wanted = one["frames_a_second"].get<double>(), a_run = one.value("frames", 1.0);
        std::vector<std::string> parts;
        for (const Json* const at : points[one["id"].get<std::string>()]) {
            const Json& point = *at;
            for (std::size_t d = 0; d < report["devices"].size(); ++d) {
                if (point["rows"][d].is_null()) continue;
                const Json& row = report["rows"][point["rows"][d].get<std::size_t>()];
                const Json& time = row["times"]["end_to_end"];
                const double rate = a_run / time["median"].get<double>(), least = a_run / time["high"].get<double>(),
                             most = a_run / time["low"].get<double>();
                const char* const word = least >= wanted ? "yes" : most < wanted ? "no" : "on the edge";
                const std::string sure = confidence_text(time.value("confidence", usual_confidence));
                parts.push_back(fmt::format("{} {}{}, {} a second, {} times that", label_of(report, d), word,
                                            sure.empty() ? "" : " (" + sure + ")", short_number(rate),
                                            short_number(rate / wanted)));
            }
        }
        if (!parts.empty())
            lines.push_back(
                fmt::format("{:g} frames a second of {}: {}", wanted, one["id"].get<std::string>(), fmt::join(parts, "; ")));
    }
    return lines;
}

}  // namespace

std::string ranked_by(const Json& study) {
    if (study.contains("ranked_by")) return study["ranked_by"].get<std::string>();
    const Json sampling = study.value("sampling", Json::object());
    return sampling.is_object() && sampling.contains("sustained_s") ? "end_to_end" : "device";
}

Json answer_of(const Json& report) {
    return {{"by", ranked_by(report["study"])},
            {"spans", {{"end_to_end", answer_by(report, Span::end_to_end)}, {"device", answer_by(report, Span::device)}}}};
}

std::vector<std::string> answer_in_words(const Json& report) {
    std::vector<std::string> lines = ranking(report);
    for (std::string& line : frames(report)) lines.push_back(std::move(line));
    return lines;
}

}  // namespace parallax::engine::compare
