// The search itself, on costs that are made up: what it finds, how soon, and what it never takes.
#include "tune/search.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

using namespace parallax::engine;
using namespace parallax::engine::tune;

namespace {

PolicyTable table(std::vector<std::vector<int>> choices) {
    PolicyTable table;
    for (std::vector<int>& list : choices) {
        const int first = list.front();
        table.push_back({"field" + std::to_string(table.size()), first, std::move(list), ""});
    }
    return table;
}

const PolicyTable wide = table({{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4}});   // 240 points

Evaluate costs(double (*cost)(const Point&)) {
    return [cost](const std::vector<Point>& points) {
        std::vector<Measured> answers;
        for (const Point& point : points) answers.push_back({Outcome::timed, cost(point), ""});
        return answers;
    };
}

SearchOptions limited(int candidates) {
    SearchOptions options;
    options.budget = {1e9, candidates};
    options.now = [] { return 0.0; };
    return options;
}

}  // namespace

TEST_CASE("tune: a space without coupling is solved by one descent") {
    const Space space = Space::of(wide);
    const auto cost = [](const Point& p) { return 1.0 + std::abs(p[0] - 5) + std::abs(p[1] - 4) + std::abs(p[2] - 3); };
    const Found found =
        search(space, {space.defaults()}, costs(cost), limited(36));   // 1 + 7 + 5 + 4, and a second round that brings nothing
    CHECK(found.fastest(1).at(0).point == Point{5, 4, 3});
    CHECK(found.tried.size() == 36);
    CHECK(found.ended == "candidates");
    CHECK(space.to_json({5, 4, 3}).dump() == R"({"field0":5,"field1":4,"field2":3})");
}

TEST_CASE("tune: where fields depend on each other it does not stay where the descent ends") {
    // From the defaults every single step is worse: only both fields together reach the valley.
    const auto cost = [](const Point& p) { return p[0] == p[1] ? 10.0 - p[0] - 0.1 * p[2] : 12.0 + p[0] + p[1]; };
    const Space space = Space::of(wide);
    const Found narrow = search(space, {space.defaults()}, costs(cost), limited(17));
    CHECK(narrow.fastest(1).at(0).point == Point{0, 0, 4});
    const Found found = search(space, {space.defaults()}, costs(cost), limited(200));
    CHECK(found.fastest(1).at(0).point == Point{5, 5, 4});
    const Found again = search(space, {space.defaults()}, costs(cost), limited(200));
    REQUIRE(again.tried.size() == found.tried.size());
    for (std::size_t i = 0; i < found.tried.size(); ++i) CHECK(again.tried[i].point == found.tried[i].point);
    const Found told = search(space, {space.defaults(), space.from_json({{"field0", 5}, {"field1", 5}, {"field2", 77}})},
                              costs(cost), limited(40));
    CHECK(told.fastest(1).at(0).point == Point{5, 5, 4});   // what is known already is begun with
}

TEST_CASE("tune: what refuses, fails or computes something else is counted and never the fastest") {
    const Space space = Space::of(table({{0, 1, 2, 3, 4}}));
    const Found found = search(space, {space.defaults()}, [](const std::vector<Point>& points) {
        std::vector<Measured> answers;
        for (const Point& p : points) {
            if (p[0] == 1) answers.push_back({Outcome::refused, 0, "too many"});
            else if (p[0] == 2) answers.push_back({Outcome::wrong, 0.001, "an error of 3"});
            else if (p[0] == 3) answers.push_back({Outcome::failed, 0, "no build"});
            else answers.push_back({Outcome::timed, 5.0 - p[0], ""});
        }
        return answers;
    }, limited(100));
    CHECK(found.ended == "all tried");
    CHECK(found.tried.size() == 5);
    CHECK(found.count(Outcome::refused) == 1);
    CHECK(found.count(Outcome::wrong) == 1);
    CHECK(found.count(Outcome::failed) == 1);
    REQUIRE(found.fastest(9).size() == 2);
    CHECK(found.fastest(9)[0].point == Point{4});
}

TEST_CASE("tune: no point twice, batches no larger than asked, and an end by time or by hand") {
    const Space space = Space::of(wide);
    std::set<Point> seen;
    double clock = 0;
    SearchOptions options;
    options.budget = {10, 1000};
    options.batch = 3;
    options.now = [&] { return clock; };
    const Evaluate evaluate = [&](const std::vector<Point>& points) {
        CHECK(points.size() <= 3);
        std::vector<Measured> answers;
        for (const Point& p : points) {
            CHECK(seen.insert(p).second);
            clock += 0.5;
            answers.push_back({Outcome::timed, 1.0 + p[0] * p[1], ""});
        }
        return answers;
    };
    const Found timed = search(space, {space.defaults()}, evaluate, options);
    CHECK(timed.ended == "time");
    CHECK(timed.tried.size() >= 20);
    CHECK(timed.tried.size() <= 22);
    seen.clear();
    options.cancelled = [&] { return seen.size() >= 6; };
    CHECK(search(space, {space.defaults()}, evaluate, options).ended == "interrupted");
}

TEST_CASE("tune: fields for tests and for correctness are no part of the space") {
    const Space space = Space::of(
        {{"loads", 2, {1, 2}, ""}, {"polls", 9, {0, 9}, ""}, {"index_bits", 0, {0, 32, 64}, ""}, {"fixed", 64, {64}, ""}});
    REQUIRE(space.fields.size() == 1);
    CHECK(space.fields[0].name == "loads");
    CHECK(space.size() == 2);
}
