#include "report/samples.hpp"

#include <algorithm>

namespace parallax::engine::compare {

Rounds rounds_of(const Json& samples, const std::string& name) {
    Rounds rounds;
    if (!samples.contains(name)) return {};
    for (const Json& list : samples[name]) {
        rounds.emplace_back();
        for (const Json& value : list) {
            if (!value.is_number()) return {};
            rounds.back().push_back(value.get<double>());
        }
    }
    return rounds;
}

bool has_samples(const Rounds& rounds) {
    return std::any_of(rounds.begin(), rounds.end(), [](const auto& round) { return !round.empty(); });
}

bool is_timed(const Rounds& rounds) {
    constexpr double least_s = 1e-12;   // below which no clock tells anything
    return has_samples(rounds) && std::all_of(rounds.begin(), rounds.end(), [](const auto& round) {
               return std::all_of(round.begin(), round.end(), [](double seconds) { return seconds >= least_s; });
           });
}

Rounds device_rounds(const Json& samples) {
    Rounds rounds = rounds_of(samples, "device");
    return is_timed(rounds) ? rounds : Rounds();
}

std::vector<double> flat(const Rounds& rounds) {
    std::vector<double> all;
    for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
    return all;
}

Apart apart_of(const Json& samples) { return samples.value("fresh_processes", false) ? Apart::processes : Apart::turns; }

Apart apart_of(const Json& row, const Json& other) {
    const auto fresh = [](const Json& one) { return one.contains("samples") && apart_of(one["samples"]) == Apart::processes; };
    return fresh(row) && fresh(other) ? Apart::processes : Apart::turns;
}

void tell_confidence(Json& json, const Estimate& estimate) {
    if (estimate.confidence < usual_confidence) json["confidence"] = estimate.confidence;
}

std::optional<Span> span_named(const std::string& name) {
    if (name == "device") return Span::device;
    if (name == "end_to_end") return Span::end_to_end;
    return std::nullopt;
}

Rounds rounds_of(const Json& row, Span span) {
    if (!row.contains("samples")) return {};
    const Json& samples = row["samples"];
    if (span == Span::end_to_end) return samples.contains("end_to_end") ? rounds_of(samples["end_to_end"], "wall") : Rounds();
    Rounds rounds = device_rounds(samples);
    return has_samples(rounds) ? rounds : rounds_of(samples, "wall");
}

}  // namespace parallax::engine::compare
