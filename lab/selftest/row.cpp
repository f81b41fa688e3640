#include "selftest/row.hpp"

#include <algorithm>

namespace parallax::engine::selftest {

std::string_view to_string(Outcome outcome) noexcept {
    switch (outcome) {
        case Outcome::pass: return "pass";
        case Outcome::refused: return "refuse";
        case Outcome::failed: return "fail";
    }
    return "?";
}

Json Row::to_json() const {
    Json json{{"algorithm", algorithm},        {"problem", problem}, {"variant", variant}, {"type", type}, {"peer", peer},
              {"outcome", to_string(outcome)}, {"seconds", seconds}};
    if (!reason.empty()) json["reason"] = reason;
    if (!agreement.is_null()) json["agreement"] = agreement;
    return json;
}

Row Row::from_json(const Json& json) {
    Row row{json.at("algorithm"),
            json.at("problem"),
            json.at("variant"),
            json.at("type"),
            json.at("peer"),
            Outcome::failed,
            json.value("reason", std::string()),
            json.value("agreement", Json()),
            json.at("seconds")};
    for (const Outcome outcome : {Outcome::pass, Outcome::refused})
        if (json.at("outcome") == to_string(outcome)) row.outcome = outcome;
    return row;
}

bool passed(const std::vector<Row>& rows) {
    const auto with = [&rows](Outcome outcome) {
        return std::any_of(rows.begin(), rows.end(), [outcome](const Row& row) { return row.outcome == outcome; });
    };
    return with(Outcome::pass) && !with(Outcome::failed);
}

}  // namespace parallax::engine::selftest
