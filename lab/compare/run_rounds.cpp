// In which order rows are measured: points, ways, rounds, and what comes again.
#include <fmt/format.h>

#include <algorithm>

#include "compare/running.hpp"
#include "timing/clocks.hpp"

namespace parallax::engine::compare {

namespace {

/// A fresh process runs a row at least that often: to make it ready, and as one sample.
constexpr double least_runs = 3;

constexpr const char* no_time = "for which no time was left";

}  // namespace

void Run::run_points() {
    const std::size_t rounds = static_cast<std::size_t>(processes() - 1) * points_.size();
    std::vector<const Point*> points;
    for (const Point& point : points_) points.push_back(&point);
    for (const bool last : {false, true}) {
        last_chance_ = last || !budget_.limited();
        again_.clear();
        for (std::size_t p = 0; p < points.size(); ++p) {
            const std::size_t left = points.size() - p;
            // A second chance leaves half the time to further rounds.
            if (budget_.begin_point(left, last && rounds > 0 ? 3 * left : rounds))
                run_point(*points[p]);
            else if (last_chance_)
                leave_out(*points[p]);
            else
                again_.push_back(points[p]);
        }
        points = again_;
    }
}

void Run::run_point(const Point& point) {
    current_ = static_cast<std::size_t>(&point - points_.data());
    bool left = false;
    for (const Way& way : point.ways)
        for (std::size_t d = 0; d < devices_.size(); ++d)
            left = left || (has_row(point, way, d) && !done_.count(row_id(point, way, d)));
    if (!left) return;
    check_cancelled();
    const fs::path folder = folder_of(point);
    std::optional<Missing> missing;
    if (!inputs_made_.count(current_)) {   // else it comes again
        say("inputs of " + point.id);
        missing = make_inputs(point, folder / "inputs");
    }
    if (!missing) {
        inputs_made_.insert(current_);
        say("reference of " + point.id);
        missing = make_reference(point, folder);
    }
    for (std::size_t w = 0; w < point.ways.size(); ++w) run_way(point, point.ways[w], folder, missing, point.ways.size() - w);
    tidy(point, 0);
}

void Run::run_way(const Point& point, const Way& way, const fs::path& folder, const std::optional<Missing>& missing,
                  std::size_t ways_left) {
    std::vector<Active> rows;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
        if (!has_row(point, way, d) || done_.count(row_id(point, way, d))) continue;
        rows.push_back({d, blank_row(point, way, d), 0, 0, false});
    }
    sampling_ = budget_.sampling(study_.sampling, rows.size(), ways_left);
    for (Active& active : rows) {
        check_cancelled();
        say(active.row["id"].get<std::string>());
        const double expected = expected_seconds(active.row), limit = study_.sampling.row_limit_s;
        if (expected > limit) {
            active.row["expected_s"] = expected;
            miss(active, "too long",
                 fmt::format("one run is expected to take {:.2g} s, by the point before; the study allows {:g} s", expected,
                             limit));
        } else if (missing) {
            miss(active, missing->outcome, missing->reason);
        } else if (budget_.over()) {
            miss(active, "left out", fmt::format("{:g} minutes were over", options_.minutes));
            if (last_chance_) budget_.leave_out(active.row["id"].get<std::string>(), no_time);
        } else if (!take_from_oracle(active, way, study_.cases[point.case_index])) {
            if (is_program(active.device))
                prepare_program(active, point, way, folder);
            else
                prepare(active, point, way, folder);
        }
    }
    sampling_ = budget_.sampling(study_.sampling, rows.size(), ways_left);
    for (int round = 0; round < sampling_.rounds / processes(); ++round) {
        for (Active& active : rows) {
            check_cancelled();
            if (!active.over) take_turn(active, round);
        }
    }
    for (Active& active : rows) {
        if (!active.over) sustain(active);
        if (!active.over) measure_energy(active);
        if (const Json clocks = clocks_of(devices_[active.device].info); !active.over && !clocks.is_null())
            active.row["clocks"] = clocks;
        if (!missing && !workers_[active.device]->given_up()) {
            Active release = active;   // what releasing says is no news of the row
            release.over = false;
            if (active.row["outcome"] == "ok" || active.row["outcome"] == "disagrees")
                ask(release, {{"do", "release"}}, study_.sampling.limit_s);
        }
        if (!comes_again(active.row)) keep(std::move(active.row), point);
    }
}

bool Run::comes_again(const Json& row) {
    if (last_chance_ || row["outcome"] != "left out") return false;
    const Point* const point = &points_[current_];
    if (again_.empty() || again_.back() != point) again_.push_back(point);
    return true;
}

void Run::leave_out(const Point& point) {
    budget_.leave_out(point.id, no_time);
    for (const Way& way : point.ways) {
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            if (!has_row(point, way, d) || done_.count(row_id(point, way, d))) continue;
            Active active{d, blank_row(point, way, d), 0, 0, false};
            miss(active, "left out", fmt::format("{:g} minutes were over", options_.minutes));
            keep(std::move(active.row), point);
        }
    }
}

void Run::repeat_points() {
    last_chance_ = false;
    for (int round = 1; round < processes(); ++round) {
        if (!rows_lack_rounds(round)) continue;
        for (const auto& worker : workers_) worker->close();
        for (std::size_t p = 0; p < points_.size(); ++p) {
            const std::size_t left = static_cast<std::size_t>(processes() - round) * points_.size() - p;
            if (budget_.begin_round(left)) repeat_point(points_[p], round);
        }
    }
    for (int round = 1; round < processes() && budget_.limited(); ++round)
        if (rows_lack_rounds(round)) {
            budget_.leave_out(fmt::format("rounds after {} of {} in fresh processes of some rows", round, processes()));
            break;
        }
    if (budget_.limited()) sessions_.back()["budget"] = budget_.to_json();
}

bool Run::lacks(const Json& row, int round) const {
    return row["outcome"] == "ok" && row.contains("samples") && row.value("run_s", 0.0) <= study_.sampling.budget_s &&
           row["samples"].contains("wall") && row["samples"]["wall"].size() <= static_cast<std::size_t>(round);
}

bool Run::rows_lack_rounds(std::optional<int> round) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Json& row) { return lacks(row, round.value_or(processes() - 1)); });
}

void Run::repeat_point(const Point& point, int round) {
    current_ = static_cast<std::size_t>(&point - points_.data());
    const fs::path folder = folder_of(point);
    for (std::size_t w = 0; w < point.ways.size(); ++w) {
        std::vector<Active> rows;
        for (std::size_t d = 0; d < devices_.size(); ++d) {
            if (!has_row(point, point.ways[w], d)) continue;
            const auto at = done_.find(row_id(point, point.ways[w], d));
            if (at != done_.end() && lacks(rows_[at->second], round)) rows.push_back({d, rows_[at->second], 0, 0, false});
        }
        if (rows.empty()) continue;
        if (!inputs_made_.count(current_)) {   // the folder of an earlier run
            if (const auto missing = make_inputs(point, folder / "inputs"))
                return say(fmt::format("inputs of {} cannot be made again: {}", point.id, missing->reason));
        }
        inputs_made_.insert(current_);
        if (round % 2 == 1) std::reverse(rows.begin(), rows.end());   // nobody always comes first
        sampling_ = budget_.sampling(study_.sampling, rows.size(), point.ways.size() - w);
        for (Active& active : rows) {
            check_cancelled();
            if (budget_.limited() && least_runs * active.row.value("run_s", 0.0) > budget_.point_seconds()) continue;
            say(fmt::format("{}, process {} of {}", active.row["id"].get<std::string>(), round + 1, processes()));
            begin_again(active, point, point.ways[w], folder);
            if (!active.over) take_turn(active, round);
            if (!active.over) ask(active, {{"do", "release"}}, study_.sampling.limit_s);
            ++repeated_;
            const bool unheard = active.row["outcome"] == "left out" || active.row["outcome"] == "not run";
            if (!unheard) keep(std::move(active.row), point);   // else what it had counts
        }
    }
    tidy(point, round);
}

}  // namespace parallax::engine::compare
