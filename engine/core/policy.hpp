// Policies: how a variant is run, never what it computes. One generic form, an ordered list of (name, int),
// serves the tuner, JSON, cache keys and logs.
#pragma once

#include "parallax/host/json.hpp"

#include <string>
#include <utility>
#include <vector>

namespace parallax::engine {

struct PolicyField {
    std::string name;               ///< "work_group_size"
    int default_value = 0;
    std::vector<int> choices;       ///< all legal values, what the tuner tries
    std::string doc;
};
using PolicyTable = std::vector<PolicyField>;

class Policy {
public:
    Policy() = default;
    static Policy defaults(const PolicyTable&);
    /// Overlays `object` on the defaults; unknown names and values outside `choices` are ConfigErrors at `pointer`.
    static Policy parse(const PolicyTable&, const Json& object, const std::string& pointer);

    int at(const std::string& name) const;    ///< throws std::out_of_range: a variant asked for what it did not declare
    const std::vector<std::pair<std::string, int>>& list() const noexcept { return list_; }
    Json to_json() const;
    bool operator==(const Policy&) const = default;

private:
    std::vector<std::pair<std::string, int>> list_;
};

}  // namespace parallax::engine
