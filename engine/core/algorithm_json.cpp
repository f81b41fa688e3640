#include "core/algorithm_json.hpp"

namespace parallax::engine {

namespace {

Json to_json(const std::vector<Port>& ports) {
    Json list = Json::array();
    for (const Port& port : ports) {
        list.push_back({{"name", port.name}, {"doc", port.doc}, {"required", port.required}, {"kind", to_string(port.kind)}});
    }
    return list;
}

}  // namespace

Json to_json(const Algorithm& algorithm) {
    Json parameters = Json::array(), variants = Json::array();
    const Json schemas = algorithm.parameters.schema()["properties"];
    for (const ParameterField& field : algorithm.parameters.fields()) {
        parameters.push_back({{"name", field.name},
                              {"keys", field.keys},
                              {"key", field.canonical_key},
                              {"type", field.type},
                              {"required", !schemas[field.canonical_key].contains("default")},
                              {"default", schemas[field.canonical_key].value("default", Json())},
                              {"runtime", field.runtime},
                              {"doc", field.doc}});
    }
    for (const Variant& variant : algorithm.variants) {
        Json backends = Json::array(), policy = Json::array();
        for (const host::Backend backend : variant.backends) backends.push_back(to_string(backend));
        for (const PolicyField& field : variant.policy) {
            policy.push_back(
                {{"name", field.name}, {"default", field.default_value}, {"choices", field.choices}, {"doc", field.doc}});
        }
        variants.push_back({{"name", variant.name}, {"summary", variant.summary}, {"role", to_string(variant.role)},
                            {"backends", std::move(backends)}, {"policy", std::move(policy)}});
    }
    return {{"name", algorithm.name},
            {"summary", algorithm.summary},
            {"inputs", to_json(algorithm.inputs)},
            {"outputs", to_json(algorithm.outputs)},
            {"parameters", std::move(parameters)},
            {"variants", std::move(variants)}};
}

}  // namespace parallax::engine
