// The search for the fastest point of a policy's space. It knows nothing of devices: whoever asks says what a point costs.
#pragma once

#include "core/policy.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::engine::tune {

/// A value for each field of a space, in its order.
using Point = std::vector<int>;

/// The fields of a policy that decide about speed, with their choices. Fields that are there for tests or for
/// correctness ("polls", "index_bits") are left out and keep their defaults.
struct Space {
    std::vector<PolicyField> fields;

    static Space of(const PolicyTable&);
    /// Number of points; 1 for a space without fields.
    std::uint64_t size() const noexcept;
    Point defaults() const;
    /// The point as a job's "policy".
    Json to_json(const Point&) const;
    /// The point of a policy; fields that it does not name, or gives a value that is no choice, have their defaults.
    Point from_json(const Json& policy) const;
};

/// What became of a candidate. refused: the variant says no; wrong: it computes something else; failed: no build or no launch.
enum class Outcome { timed, refused, wrong, failed };
std::string_view to_string(Outcome) noexcept;

struct Measured {
    Outcome outcome = Outcome::timed;
    double seconds = 0;          ///< of `timed` only
    std::string reason;          ///< of all others
};

struct Tried {
    Point point;
    Measured measured;
};

/// When to stop, whichever comes first. A descent that has come to its end goes on elsewhere until then.
struct Budget {
    double seconds = 10;         ///< from the first candidate on, building included; the batch at hand is finished
    int candidates = 200;
};

struct SearchOptions {
    Budget budget;
    std::size_t batch = 8;   ///< candidates that are handed over at a time, so that they can be built side by side
    std::function<bool()> cancelled;             ///< asked between batches
    std::function<double()> now;                 ///< seconds; empty: a steady clock
};

struct Found {
    std::vector<Tried> tried;                ///< in the order in which they were tried
    std::string ended;                           ///< "all tried", "time", "candidates" or "interrupted"
    double seconds = 0;

    /// The fastest that were timed, fastest first.
    std::vector<Tried> fastest(std::size_t most) const;
    int count(Outcome) const noexcept;
};

/// Measures points that the search has not asked for before; one answer each.
using Evaluate = std::function<std::vector<Measured>(const std::vector<Point>&)>;

/// Coordinate descent: of each field in turn every choice is tried with the others held, until a round brings nothing; from the
/// fastest of `starts` first, which must not be empty, from the others, then from random points that are nearly as fast as the
/// best, until the budget or the space is used up. The same answers lead to the same search.
///
///     const Found found = search(Space::of(variant.policy), {space.defaults()}, measure, {});
///     const Json policy = space.to_json(found.fastest(1).at(0).point);
Found search(const Space&, const std::vector<Point>& starts, const Evaluate&, const SearchOptions&);

}  // namespace parallax::engine::tune
