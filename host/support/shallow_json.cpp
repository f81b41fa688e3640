#include "support/shallow_json.hpp"

namespace parallax {

std::optional<Json> parse_shallow(std::string_view text) {
    constexpr int deepest = 64;
    bool deep = false;
    Json json = Json::parse(
        text, [&](int depth, Json::parse_event_t, Json&) { return !(deep = deep || depth > deepest); }, false);
    if (deep || json.is_discarded()) return std::nullopt;
    return json;
}

}  // namespace parallax
