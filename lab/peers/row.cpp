#include "peers/row.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::peers {

Variant peer_variant(std::string name, std::string summary, host::Backend backend, WhyNot why_not, std::function<void()> open, decltype(Variant::plan) plan) {
    Variant v;
    v.name = std::move(name);
    v.summary = std::move(summary);
    v.role = Role::peer;
    v.backends = {backend};
    v.supports = [why_not = std::move(why_not), open = std::move(open)](const Problem& problem, host::Context&) {
        if (std::string reason = why_not(problem); !reason.empty()) return Support::no(std::move(reason));
        try {
            open();
            return Support::yes();
        } catch (const UnsupportedError& error) {
            return Support::no(error.reasons.empty() ? error.what() : error.reasons.front());
        }
    };
    v.plan = std::move(plan);
    return v;
}

std::string only(const std::string& library, const ArrayDesc& array, const std::vector<ElementType>& types) {
    if (std::find(types.begin(), types.end(), array.type) != types.end()) return {};
    return fmt::format("this module of {} has no instance for {}", library, to_string(array.type));
}

}  // namespace parallax::engine::peers
