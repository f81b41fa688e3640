#include "core/algorithm.hpp"

#include <algorithm>
#include <utility>

namespace parallax::engine {

bool Problem::wants(std::string_view output) const noexcept {
    return std::find(outputs.begin(), outputs.end(), output) != outputs.end();
}

std::string_view to_string(PortKind kind) noexcept {
    switch (kind) {
        case PortKind::array: return "array";
        case PortKind::record: return "record";
        case PortKind::drawing: return "drawing";
    }
    return "unknown";
}

std::string_view to_string(Role role) noexcept {
    switch (role) {
        case Role::reference: return "reference";
        case Role::baseline: return "baseline";
        case Role::plain: return "plain";
        case Role::best: return "best";
        case Role::peer: return "peer";
    }
    return "unknown";
}

namespace {

template <class T>
const T* find_named(const std::vector<T>& items, std::string_view name) noexcept {
    const auto found = std::find_if(items.begin(), items.end(), [&](const T& item) { return item.name == name; });
    return found == items.end() ? nullptr : &*found;
}

}  // namespace

const Port* Algorithm::input(std::string_view wanted) const noexcept { return find_named(inputs, wanted); }
const Port* Algorithm::output(std::string_view wanted) const noexcept { return find_named(outputs, wanted); }

const Variant* Algorithm::variant(std::string_view wanted) const noexcept {
    const auto found = std::find_if(variants.begin(), variants.end(), [&](const Variant& v) {
        return v.name == wanted || std::find(v.formerly.begin(), v.formerly.end(), wanted) != v.formerly.end();
    });
    return found == variants.end() ? nullptr : &*found;
}

std::string Algorithm::present_name(std::string name) const {
    const Variant* const known = variant(name);
    return known != nullptr ? known->name : std::move(name);
}

const Algorithm& Registry::get(const std::string& name, const std::string& pointer) const {
    const auto found = std::find_if(algorithms().begin(), algorithms().end(), [&](const Algorithm& a) { return a.name == name; });
    if (found != algorithms().end()) return *found;

    std::vector<std::string> names;
    std::transform(algorithms().begin(), algorithms().end(), std::back_inserter(names),
                   [](const Algorithm& a) { return a.name; });
    std::string expected = "the name of an algorithm:";
    for (const std::string& known : names) expected += " " + known;
    const std::string near = nearest(name, names);
    throw ConfigError(pointer, "\"" + name + "\"", expected, near.empty() ? "" : "did you mean \"" + near + "\"?");
}

}  // namespace parallax::engine
