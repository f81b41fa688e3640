#include "study/claims.hpp"

#include <vector>

#include "study/report_items.hpp"
#include "support/json_reader.hpp"

namespace parallax::engine::compare {

namespace {

const auto& claim_keys = *new std::vector<std::string>{"says", "source", "of", "to", "times", "by", "value", "near", "within"};

}   // namespace

void check_claims(const Json& claims, const std::string& pointer) {
    for (std::size_t i = 0; i < claims.size(); ++i) {
        const JsonObject claim(
            JsonValue(claims[i], pointer_to(pointer, i)),
            R"(a claim such as {"says": "shared memory is faster", "of": {"variant": "local"}, "to": {"variant": "image"}})",
            claim_keys);
        claim.text("says");
        if (claim.has("source")) claim.text("source");
        check_selector(claim, "of");
        check_selector(claim, "to");
        if (claim.has("value")) {
            claim.text("value");
            claim.at("within").number(0, 1e300);
            if (claim.has("near") && !claim.at("near").json().is_number() && !claim.at("near").json().is_string())
                claim.at("near").refuse("a number, or the name of a variable");
            continue;
        }
        claim.at("of");
        claim.at("to");
        claim.word("by", {"device", "end_to_end"}, "device");
        if (!claim.has("times")) continue;
        const Json& times = claim.at("times").json();
        const bool range =
            times.is_array() && times.size() == 2 && times[0].is_number() && times[1].is_number() && times[0] <= times[1];
        if (!times.is_number() && !range) claim.at("times").refuse("how many times as fast: a number, or [least, most]");
    }
}

Json claims_schema() {
    const Json text{{"type", "string"}, {"minLength", 1}}, number{{"type", "number"}}, selector{{"type", "object"}};
    const auto described = [](Json schema, const char* what) {
        schema["description"] = what;
        return schema;
    };
    Json properties{
        {"says", described(text, "What the paper found, as a sentence without its full stop.")},
        {"source", described(text, "Where, if it is not the study's source.")},
        {"of", described(selector, "The rows that are faster, as the paper says: case, variant, device, backend, type, grid.")},
        {"to", described(selector, "Than which.")},
        {"times", described({{"anyOf", {number, Json{{"type", "array"}, {"items", number}, {"minItems", 2}, {"maxItems", 2}}}}},
                            "How many times as fast: a number, or [least, most]; left out: more than once.")},
        {"by", {{"enum", {"device", "end_to_end"}}}},
        {"value", described(text, "Instead of a time: a number of each row, \"evaluation.NAME.KEY\" or \"record.NAME.KEY\".")},
        {"near", described({{"anyOf", {number, text}}},
                           "What it is, or the variable that says so; left out: rows of a point are alike.")},
        {"within", described(number, "By how much at most.")}};
    return {{"type", "array"},
            {"description", "What the paper says, which the report tells in words whether it is so here."},
            {"items",
             {{"type", "object"},
              {"properties", std::move(properties)},
              {"required", {"says"}},
              {"patternProperties", {{"^//", true}}},
              {"additionalProperties", false}}}};
}

}   // namespace parallax::engine::compare
