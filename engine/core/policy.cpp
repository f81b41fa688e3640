#include "core/policy.hpp"

#include "core/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace parallax::engine {

Policy Policy::defaults(const PolicyTable& table) {
    Policy policy;
    for (const PolicyField& field : table) policy.list_.emplace_back(field.name, field.default_value);
    return policy;
}

Policy Policy::parse(const PolicyTable& table, const Json& object, const std::string& pointer) {
    if (!object.is_object()) throw ConfigError(pointer, describe(object), "an object of policy names and integers");
    Policy policy = defaults(table);
    for (const auto& member : object.items()) {
        const std::string& name = member.key();
        const Json& value = member.value();
        if (is_comment(name)) continue;
        const std::string here = pointer_to(pointer, name);
        const auto field = std::find_if(table.begin(), table.end(), [&](const PolicyField& f) { return f.name == name; });
        if (field == table.end()) {
            std::vector<std::string> known;
            for (const PolicyField& f : table) known.push_back(f.name);
            throw ConfigError(
                here, fmt::format("the unknown policy \"{}\"", name),
                known.empty() ? "no policy: this variant has none" : fmt::format("one of {}", fmt::join(known, " | ")),
                did_you_mean(name, known));
        }
        const bool legal = value.is_number() &&   // 16.0 is 16
                           std::any_of(field->choices.begin(), field->choices.end(), [&](int choice) { return value == choice; });
        if (!legal) throw ConfigError(here, describe(value), fmt::format("one of {}", fmt::join(field->choices, " | ")));
        policy.list_[static_cast<std::size_t>(field - table.begin())].second = value.get<int>();
    }
    return policy;
}

int Policy::at(const std::string& name) const {
    for (const auto& [known, value] : list_) {
        if (known == name) return value;
    }
    throw std::out_of_range("no policy is called \"" + name + "\"");
}

Json Policy::to_json() const {
    Json object = Json::object();
    for (const auto& [name, value] : list_) object[name] = value;
    return object;
}

}  // namespace parallax::engine
