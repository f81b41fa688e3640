#include "report/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "report/answer.hpp"
#include "report/samples.hpp"
#include "report/selection.hpp"
#include "timing/statistics.hpp"

namespace parallax::engine::compare {

namespace {

const Json& device_of(const Json& report, const Json& row) { return report["devices"][row["device"].get<std::size_t>()]; }

/// "fused on NVIDIA H200, OpenCL"
std::string name_of(const Json& report, const Json& row) {
    const std::string way = row["way"] == "chosen" ? row.value("variant", std::string("chosen")) : row["way"].get<std::string>();
    return fmt::format("{} on {}", way, device_of(report, row)["label"].get<std::string>());
}

/// A selector in words: "image on a gpu".
std::string words_of(const Json& selector) {
    const auto words = [&](const char* key) {
        std::vector<std::string> all;
        if (selector.contains(key) && selector[key].is_string())
            all.push_back(selector[key].get<std::string>());
        else if (selector.contains(key))
            for (const Json& one : selector[key]) all.push_back(one.get<std::string>());
        return fmt::format("{}", fmt::join(all, " or "));
    };
    std::string text = selector.contains("variant") ? words("variant") : "a row";
    if (selector.contains("case")) text += " of " + words("case");
    if (selector.contains("type")) text += " on a " + words("type");
    if (selector.contains("backend")) text += " by " + words("backend");
    if (selector.contains("device")) text += " on " + words("device");
    return text;
}

std::string at_point(const Json& row) {
    const std::string grid = grid_text(row["grid"]);
    return row["case"].get<std::string>() + (grid.empty() ? "" : " at " + grid);
}

/// The fastest row of each side at a point.
struct Sides {
    const Json *of = nullptr, *to = nullptr;
};

/// Whether a side is of other devices than the other: else both are of one.
bool compares_devices(const Json& claim) {
    for (const char* side : {"of", "to"})
        for (const char* key : {"device", "backend", "type"})
            if (claim[side].contains(key)) return true;
    return false;
}

/// Where both sides were timed: the last point of each case. Where the sides are of different cases, the case is none. Of a claim
/// that says nothing of devices, both sides are of the device that has the fastest `of`.
std::vector<Sides> sides_of(const Json& claim, const Json& report, Span span) {
    const bool across = claim["of"].contains("case") && claim["to"].contains("case"), by_device = !compares_devices(claim);
    std::vector<std::pair<std::string, std::string>> order;   // case, point
    std::map<std::string, std::map<std::size_t, Sides>> points;   // by device, or all below 0
    const auto seconds = [&](const Json& row) { return median(flat(rounds_of(row, span))); };
    for (const Json& row : report["rows"]) {
        if (row["outcome"] != "ok" || !is_timed(rounds_of(row, span))) continue;
        const std::string id = across ? "" : row["case"].get<std::string>(), key = id + row["grid"].dump();
        if (points.try_emplace(key).second) order.emplace_back(id, key);
        Sides& sides = points[key][by_device ? row["device"].get<std::size_t>() : 0];
        const auto take = [&](const char* side, const Json*& best) {
            if (selected(claim[side], row, device_of(report, row)) && (best == nullptr || seconds(row) < seconds(*best)))
                best = &row;
        };
        take("of", sides.of);
        take("to", sides.to);
    }
    const auto fastest = [&](const std::map<std::size_t, Sides>& devices) {
        Sides best;
        for (const auto& [device, sides] : devices) {
            if (sides.of == nullptr || sides.to == nullptr || sides.of == sides.to) continue;
            if (best.of == nullptr || seconds(*sides.of) < seconds(*best.of)) best = sides;
        }
        return best;
    };
    std::vector<Sides> found;
    std::set<std::string> cases;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        if (cases.count(at->first) > 0) continue;
        const Sides sides = fastest(points[at->second]);
        if (sides.of == nullptr) continue;
        cases.insert(at->first);
        found.push_back(sides);
    }
    std::reverse(found.begin(), found.end());
    return found;
}

/// What the paper measured: a number, or from the least to the most.
std::optional<std::pair<double, double>> claimed_times(const Json& claim) {
    if (!claim.contains("times")) return std::nullopt;
    const Json& times = claim["times"];
    return times.is_number() ? std::pair(times.get<double>(), times.get<double>())
                             : std::pair(times[0].get<double>(), times[1].get<double>());
}

std::string verdict_on(const Estimate& ratio, const std::optional<std::pair<double, double>>& times) {
    constexpr double matters = 1.02;   // as between the rows of a session
    if (ratio.low > 1 / matters && ratio.high < matters) return "here neither is faster by what matters";
    if (ratio.confidence < usual_confidence) return "measured in too few processes to say which is faster";
    if (ratio.high < 1) return "the other way round";
    if (ratio.low <= 1) return "here neither is surely faster";
    if (!times) return "so it is here";
    if (ratio.low > times->second) return "more than that";
    if (ratio.high < times->first) return "less than that";
    return "so it is here";
}

/// What a run may differ by from the next on a machine with other work; of a single one nobody knows better.
constexpr double run_differs_by = 1.5;

std::vector<std::string> of_times(const Json& claim, const Json& report) {
    const Span span = span_named(claim.value("by", ranked_by(report["study"]))).value_or(Span::device);
    std::vector<std::string> lines;
    for (const Sides& sides : sides_of(claim, report, span)) {
        const Rounds of = rounds_of(*sides.of, span), to = rounds_of(*sides.to, span);
        const Estimate ratio = estimate_ratio(to, of, apart_of(*sides.of, *sides.to));
        const bool once = std::min(flat(of).size(), flat(to).size()) < 2;   // which tells nothing of how far it moves
        Estimate judged = ratio;
        if (once) {
            judged.low = std::min(judged.low, ratio.median / run_differs_by);
            judged.high = std::max(judged.high, ratio.median * run_differs_by);
        }
        lines.push_back(fmt::format("Here, {}: {} times as fast {}, {} against {}: {}", at_point(*sides.of),
                                    short_number(ratio.median),
                                    once ? "(of one run)" : interval_text(ratio.low, ratio.high, ratio.confidence),
                                    name_of(report, *sides.of), name_of(report, *sides.to),
                                    verdict_on(judged, claimed_times(claim))));
    }
    if (lines.empty())
        lines.push_back(fmt::format("That cannot be told here: {} and {} were not timed beside each other", words_of(claim["of"]),
                                    words_of(claim["to"])));
    return lines;
}

/// What of all rows lies farthest from where it should be.
std::vector<std::string> of_values(const Json& claim, const Json& report) {
    const std::string name = claim["value"].get<std::string>();
    struct Range {
        double low = 0, high = 0;
        const Json* row = nullptr;
    };
    std::map<std::string, Range> points;
    std::size_t told = 0, asked = 0;
    double farthest = -1;
    const Json* where = nullptr;
    for (const Json& row : report["rows"]) {
        const std::optional<double> value = row["outcome"] == "ok" ? number_of(row, name) : std::nullopt;
        if (claim.contains("of") && !selected(claim["of"], row, device_of(report, row))) continue;
        asked += value || row["outcome"] == "left out";   // for lack of time: what was not run is not known to be so
        if (!value) continue;
        ++told;
        double away = 0;
        if (claim.contains("near")) {
            const auto wanted = claim["near"].is_number() ? std::optional(claim["near"].get<double>())
                                                          : number_of(row, claim["near"].get<std::string>());
            if (!wanted) continue;
            away = std::abs(*value - *wanted);
        } else {
            Range& range =
                points.emplace(row["case"].get<std::string>() + row["grid"].dump(), Range{*value, *value, &row}).first->second;
            range.low = std::min(range.low, *value);
            range.high = std::max(range.high, *value);
            away = range.high - range.low;
        }
        if (away <= farthest) continue;
        farthest = away;
        where = &row;
    }
    if (where == nullptr) return {"That cannot be told here: no row has " + name};
    const double most = claim["within"].get<double>();
    const std::string part = told < asked ? fmt::format(" in the {} of {} rows that there was time for", told, asked) : "";
    return {fmt::format("Here, {}: {:.2g} {} at most{}, {}: {}", at_point(*where), farthest,
                        claim.contains("near") ? "away" : "apart", part, name_of(report, *where),
                        farthest <= most ? "so it is here" : "not so here")};
}

}   // namespace

std::vector<std::string> claims_in_words(const Json& report) {
    std::vector<std::string> lines;
    const Json& study = report["study"];
    for (const Json& claim : study.value("claims", Json::array())) {
        const std::string source = claim.value("source", study.value("source", std::string("The study")));
        for (const std::string& here : claim.contains("value") ? of_values(claim, report) : of_times(claim, report))
            lines.push_back(fmt::format("{}: {}. {}.", source, claim["says"].get<std::string>(), here));
    }
    return lines;
}

}   // namespace parallax::engine::compare
