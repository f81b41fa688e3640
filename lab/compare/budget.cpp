#include "compare/budget.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/clock.hpp"
#include "parallax/host/error.hpp"

namespace parallax::engine::compare {

namespace {

constexpr double least_point_s = 0.5;   ///< below, not even one run of a row is worth its inputs
constexpr double most_given_up_s = 5;   ///< what a point needs before further rounds of others count
constexpr double least_round_s = 1;     ///< in which processes begin and a row is made ready again

}  // namespace

void check_minutes(double minutes) {
    constexpr double week = 7 * 24 * 60;
    if (!(minutes > 0 && minutes <= week))
        throw ConfigError("--minutes", fmt::format("{:g}", minutes), fmt::format("more than 0 and at most {:g}, a week", week),
                          minutes > week ? "without --minutes a study takes as long as it needs" : "such as --minutes 5");
}

Budget::Budget(double minutes) : minutes_(minutes) {}

double Budget::seconds_left() const { return 60 * minutes_ - seconds_since(start_); }

void Budget::end_in(double seconds) {
    point_end_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::max(seconds, 0.0)));
}

bool Budget::begin_point(std::size_t left, std::size_t rounds) {
    if (!limited()) return true;
    const double seconds = seconds_left(), points = static_cast<double>(std::max<std::size_t>(left, 1)),
                 share = std::max(3 * seconds / (3 * points + static_cast<double>(rounds)),
                                  std::min(seconds / points, most_given_up_s));
    end_in(share);
    return share >= least_point_s;
}

bool Budget::begin_round(std::size_t left) {
    if (!limited()) return true;
    end_in(std::max(seconds_left() / static_cast<double>(std::max<std::size_t>(left, 1)), least_round_s));
    return seconds_left() >= least_round_s;
}

double Budget::point_seconds() const { return std::max(0.0, std::chrono::duration<double>(point_end_ - Clock::now()).count()); }

double Budget::limit_s(double otherwise) const {
    return limited() ? std::min(otherwise, std::max(point_seconds(), 1.0)) : otherwise;
}

Sampling Budget::sampling(const Sampling& asked, std::size_t rows, std::size_t ways) const {
    if (!limited()) return asked;
    Sampling s = asked;
    const auto groups = static_cast<double>(std::max<std::size_t>(ways, 1) * std::max<std::size_t>(rows, 1));
    const double rounds = asked.fresh_processes ? asked.rounds : 1;                 // of which this is one
    s.budget_s = std::min(asked.budget_s, rounds * point_seconds() / groups / 2);   // half of it from end to end
    s.limit_s = limit_s(asked.limit_s);
    s.sustained_s = 0;
    if (point_seconds() / groups < 4 * asked.energy_s) s.energy_s = 0;
    s.cold = false;
    return s;
}

void Budget::leave_out(const std::string& what) {
    if (limited() && std::find(left_out_.begin(), left_out_.end(), what) == left_out_.end()) left_out_.push_back(what);
}

Json Budget::to_json() const {
    if (!limited()) return nullptr;
    return {{"minutes", minutes_}, {"took_s", seconds_since(start_)}, {"left_out", left_out_}};
}

}  // namespace parallax::engine::compare
