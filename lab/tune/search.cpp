#include "tune/search.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <limits>
#include <map>
#include <random>

namespace parallax::engine::tune {
namespace {

/// Values that decide what is right or serve tests, never how fast it goes.
constexpr std::array<std::string_view, 2> not_for_speed{"polls", "index_bits"};

/// A random point is worth a descent of its own when it is no slower than the best by more than this.
constexpr double promising = 1.25;
/// Where there are more points than this they are drawn, not listed.
constexpr std::uint64_t most_listed = 4096;

double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

class Search {
public:
    Search(const Space& space, const Evaluate& evaluate, const SearchOptions& options)
        : space_(space), evaluate_(evaluate), options_(options), start_(now()), random_(20261121) {}

    Found run(const std::vector<Point>& starts) {
        measure(starts);
        std::vector<Point> order = starts;
        std::stable_sort(order.begin(), order.end(), [&](const Point& a, const Point& b) { return cost(a) < cost(b); });
        for (const Point& start : order) descend(start);
        while (!over()) {
            const std::vector<Point> fresh = untried(options_.batch);
            if (fresh.empty()) {
                found_.ended = "all tried";
                break;
            }
            measure(fresh);
            const auto fastest =
                std::min_element(fresh.begin(), fresh.end(), [&](const Point& a, const Point& b) { return cost(a) < cost(b); });
            if (cost(*fastest) <= promising * best_) descend(*fastest);
        }
        found_.seconds = now() - start_;
        return std::move(found_);
    }

private:
    double now() const { return options_.now ? options_.now() : steady_seconds(); }

    bool over() {
        if (!found_.ended.empty()) return true;
        if (options_.cancelled && options_.cancelled()) found_.ended = "interrupted";
        else if (static_cast<int>(found_.tried.size()) >= options_.budget.candidates) found_.ended = "candidates";
        else if (!found_.tried.empty() && now() - start_ >= options_.budget.seconds) found_.ended = "time";
        return !found_.ended.empty();
    }

    /// Infinite for what was not timed, or not yet tried.
    double cost(const Point& point) const {
        const auto known = costs_.find(point);
        return known == costs_.end() ? std::numeric_limits<double>::infinity() : known->second;
    }

    void measure(std::vector<Point> points) {
        std::vector<Point> fresh;
        for (Point& p : points)
            if (costs_.count(p) == 0 && std::find(fresh.begin(), fresh.end(), p) == fresh.end()) fresh.push_back(std::move(p));
        points = std::move(fresh);
        const std::size_t batch = std::max<std::size_t>(options_.batch, 1);
        for (std::size_t first = 0; first < points.size() && !over(); first += batch) {
            const std::size_t left = static_cast<std::size_t>(options_.budget.candidates) - found_.tried.size();
            const std::size_t count = std::min({batch, points.size() - first, left});
            const std::vector<Point> part(points.begin() + static_cast<std::ptrdiff_t>(first),
                                          points.begin() + static_cast<std::ptrdiff_t>(first + count));
            const std::vector<Measured> answers = evaluate_(part);
            for (std::size_t i = 0; i < part.size() && i < answers.size(); ++i) {
                const double seconds =
                    answers[i].outcome == Outcome::timed ? answers[i].seconds : std::numeric_limits<double>::infinity();
                costs_[part[i]] = seconds;
                best_ = std::min(best_, seconds);
                found_.tried.push_back({part[i], answers[i]});
            }
        }
    }

    /// From a point that has been tried.
    void descend(Point at) {
        for (bool moved = true; moved && !over();) {
            moved = false;
            for (std::size_t f = 0; f < space_.fields.size() && !over(); ++f) {
                std::vector<Point> line;
                for (const int choice : space_.fields[f].choices) {
                    line.push_back(at);
                    line.back()[f] = choice;
                }
                measure(line);
                for (const Point& point : line) {
                    if (cost(point) >= cost(at)) continue;
                    at = point;
                    moved = true;
                }
            }
        }
    }

    std::vector<Point> untried(std::size_t most) {
        std::vector<Point> fresh;
        if (space_.size() <= most_listed) {
            Point point;
            list(point, fresh);
            const std::size_t count = std::min(fresh.size(), most);
            for (std::size_t i = 0; i < count; ++i)
                std::swap(fresh[i], fresh[i + random_() % (fresh.size() - i)]);   // std::shuffle differs between libraries
            fresh.resize(count);
            return fresh;
        }
        for (int draws = 0; draws < 1000 && fresh.size() < most; ++draws) {   // so large a space is never used up
            Point point;
            for (const PolicyField& field : space_.fields) point.push_back(field.choices[random_() % field.choices.size()]);
            if (costs_.count(point) == 0 && std::find(fresh.begin(), fresh.end(), point) == fresh.end())
                fresh.push_back(std::move(point));
        }
        return fresh;
    }

    void list(Point& point, std::vector<Point>& fresh) const {
        if (point.size() == space_.fields.size()) {
            if (costs_.count(point) == 0) fresh.push_back(point);
            return;
        }
        for (const int choice : space_.fields[point.size()].choices) {
            point.push_back(choice);
            list(point, fresh);
            point.pop_back();
        }
    }

    const Space& space_;
    const Evaluate& evaluate_;
    const SearchOptions& options_;
    double start_;
    std::mt19937_64 random_;
    std::map<Point, double> costs_;
    double best_ = std::numeric_limits<double>::infinity();
    Found found_;
};

}  // namespace

Space Space::of(const PolicyTable& table) {
    Space space;
    for (const PolicyField& field : table) {
        const bool speed = std::find(not_for_speed.begin(), not_for_speed.end(), field.name) == not_for_speed.end();
        if (speed && field.choices.size() > 1) space.fields.push_back(field);
    }
    return space;
}

std::uint64_t Space::size() const noexcept {
    std::uint64_t size = 1;
    for (const PolicyField& field : fields) size *= field.choices.size();
    return size;
}

Point Space::defaults() const {
    Point point;
    for (const PolicyField& field : fields) point.push_back(field.default_value);
    return point;
}

Json Space::to_json(const Point& point) const {
    Json policy = Json::object();
    for (std::size_t i = 0; i < fields.size(); ++i) policy[fields[i].name] = point.at(i);
    return policy;
}

Point Space::from_json(const Json& policy) const {
    Point point = defaults();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Json value = policy.value(fields[i].name, Json());
        for (const int choice : fields[i].choices)
            if (value == choice) point[i] = choice;
    }
    return point;
}

std::string_view to_string(Outcome outcome) noexcept {
    switch (outcome) {
        case Outcome::timed: return "timed";
        case Outcome::refused: return "refused";
        case Outcome::wrong: return "wrong";
        case Outcome::failed: return "failed";
    }
    return "?";
}

std::vector<Tried> Found::fastest(std::size_t most) const {
    std::vector<Tried> list;
    std::copy_if(tried.begin(), tried.end(), std::back_inserter(list),
                 [](const Tried& c) { return c.measured.outcome == Outcome::timed; });
    std::stable_sort(list.begin(), list.end(),
                     [](const Tried& a, const Tried& b) { return a.measured.seconds < b.measured.seconds; });
    if (list.size() > most) list.resize(most);
    return list;
}

int Found::count(Outcome outcome) const noexcept {
    return static_cast<int>(
        std::count_if(tried.begin(), tried.end(), [outcome](const Tried& c) { return c.measured.outcome == outcome; }));
}

Found search(const Space& space, const std::vector<Point>& starts, const Evaluate& evaluate, const SearchOptions& options) {
    return Search(space, evaluate, options).run(starts);
}

}  // namespace parallax::engine::tune
