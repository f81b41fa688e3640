#include "core/native.hpp"

namespace parallax::engine {

Variant native_variant(std::string name, std::string summary, std::function<std::unique_ptr<Plan>(const Problem&)> plan) {
    Variant v;
    v.name = std::move(name);
    v.summary = std::move(summary);
    v.role = Role::reference;
    v.backends = {host::Backend::native};
    v.plan = [plan = std::move(plan)](PlanBuilder&, const Problem& problem, const Policy&) { return plan(problem); };
    return v;
}

}  // namespace parallax::engine
