#include "peers/row.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::peers {

Variant peer_variant(std::string name, std::string summary, host::Backend backend, WhyNot why_not, std::function<void()> open,
                     decltype(Variant::plan) plan) {
    return {
        .name = std::move(name),
        .summary = std::move(summary),
        .role = Role::peer,
        .backends = {backend},
        .supports = [why_not = std::move(why_not), open = std::move(open)](const Problem& problem, host::Context&) {
            if (std::string reason = why_not(problem); !reason.empty()) return Support::no(std::move(reason));
            try {
                open();
                return Support::yes();
            } catch (const UnsupportedError& error) {
                return Support::no(error.reasons.empty() ? error.what() : error.reasons.front());
            }
        },
        .plan = std::move(plan),
    };
}

std::string only(const std::string& library, const ArrayDesc& array, const std::vector<ElementType>& types) {
    if (std::find(types.begin(), types.end(), array.type) != types.end()) return {};
    return fmt::format("this module of {} has no instance for {}", library, to_string(array.type));
}

}  // namespace parallax::engine::peers
