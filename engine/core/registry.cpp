// The one list of algorithms (engine/algorithms.cmake) as a table: make_<name>() of each algorithm's folder.
#include "core/algorithm.hpp"
#include "peers/peers.hpp"

#include <algorithm>
#include <iterator>

namespace parallax::engine {

#define PARALLAX_ALGORITHM(name) Algorithm make_##name();
#include "algorithms.inc"
#undef PARALLAX_ALGORITHM

Registry::Registry() {
#define PARALLAX_ALGORITHM(name) algorithms_.push_back(make_##name());
#include "algorithms.inc"
#undef PARALLAX_ALGORITHM
    peers::add_to(algorithms_);
}

const Algorithm& Registry::get(const std::string& name, const std::string& pointer) const {
    const auto found = std::find_if(algorithms_.begin(), algorithms_.end(), [&](const Algorithm& a) { return a.name == name; });
    if (found != algorithms_.end()) return *found;

    std::vector<std::string> names;
    std::transform(algorithms_.begin(), algorithms_.end(), std::back_inserter(names), [](const Algorithm& a) { return a.name; });
    std::string expected = "the name of an algorithm:";
    for (const std::string& known : names) expected += " " + known;
    const std::string near = nearest(name, names);
    throw ConfigError(pointer, "\"" + name + "\"", expected, near.empty() ? "" : "did you mean \"" + near + "\"?");
}

}  // namespace parallax::engine
