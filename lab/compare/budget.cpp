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
constexpr double for_the_report = 0.02, most_for_the_report_s = 3;   ///< what of it all processes and the report need to end

}  // namespace

void check_minutes(double minutes) {
    constexpr double week = 7 * 24 * 60;
    if (!(minutes > 0 && minutes <= week))
        throw ConfigError("--minutes", fmt::format("{:g}", minutes), fmt::format("more than 0 and at most {:g}, a week", week),
                          minutes > week ? "without --minutes a study takes as long as it needs" : "such as --minutes 5");
}

Budget::Budget(double minutes, Clock::time_point began) : minutes_(minutes), start_(began) {}

double Budget::seconds_left() const {
    const double all = 60 * minutes_;
    return all - std::min(most_for_the_report_s, for_the_report * all) - seconds_since(start_);
}

double Budget::opening_s(std::size_t devices) const {
    return std::max(seconds_left(), 0.0) / 2 / static_cast<double>(std::max<std::size_t>(devices, 1));
}

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

void Budget::leave_out(const std::string& what, const std::string& why) {
    if (!limited()) return;
    auto reason = std::find_if(left_out_.begin(), left_out_.end(),
                               [&](const LeftOut& one) { return one.why == why && (!why.empty() || one.what.front() == what); });
    if (reason == left_out_.end()) reason = left_out_.insert(reason, {why, {}});
    if (std::find(reason->what.begin(), reason->what.end(), what) == reason->what.end()) reason->what.push_back(what);
}

Json Budget::to_json() const {
    if (!limited()) return nullptr;
    Json left_out = Json::array();
    for (const LeftOut& one : left_out_)
        left_out.push_back(fmt::format("{}{}{}", fmt::join(one.what, ", "), one.why.empty() ? "" : ", ", one.why));
    return {{"minutes", minutes_}, {"took_s", seconds_since(start_)}, {"left_out", std::move(left_out)}};
}

}  // namespace parallax::engine::compare
