// A study in so many minutes: each point has its share of what is left. What does not fit into its share is tried again when all
// others have been run, with what those have left; what does not fit then is left out and said.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace parallax::engine::compare {

/// Throws ConfigError ("--minutes") for what is no time to wait: nothing, less, no number, more than a week.
void check_minutes(double minutes);

class Budget {
public:
    using Clock = std::chrono::steady_clock;
    /// 0: no limit, everything is run as the study says. Counted from when it was asked for: opening devices is part of it.
    explicit Budget(double minutes, Clock::time_point began = Clock::now());

    bool limited() const noexcept { return minutes_ > 0; }
    /// Before the first point: how long each of `devices` may take to be opened and measured, a share of half of it all.
    double opening_s(std::size_t devices) const;
    /// The next of `left` points begins: what is left is shared out among them, and among `rounds` further rounds of points,
    /// which take a third of a first one; nobody gives up less than some seconds for those. False: nothing is left.
    bool begin_point(std::size_t left, std::size_t rounds = 0);
    /// The next of `left` further rounds of points: a second at least, as long as there is one.
    bool begin_round(std::size_t left);
    /// Seconds until the point's share is used up.
    double point_seconds() const;
    /// Nothing is left: what has not begun does not.
    bool over() const { return limited() && seconds_left() <= 0; }
    /// How long a worker may take for what it is asked.
    double limit_s(double otherwise) const;
    /// How `rows` rows that take turns are sampled in the point's time, of which there are `ways` groups left.
    Sampling sampling(const Sampling& asked, std::size_t rows, std::size_t ways) const;
    /// What the budget took away, in words, once; what has the same reason is told together.
    void leave_out(const std::string& what, const std::string& why = "");
    /// { "minutes", "took_s", "left_out": [...] }; null without a limit.
    Json to_json() const;

private:
    double seconds_left() const;
    void end_in(double seconds);

    double minutes_ = 0;
    Clock::time_point start_, point_end_ = start_;
    struct LeftOut {
        std::string why;
        std::vector<std::string> what;
    };
    std::vector<LeftOut> left_out_;
};

}  // namespace parallax::engine::compare
