// parallax bindings python: the type stubs of Session's functions, one an algorithm.
#include "laboratory/bindings.hpp"

#include <fmt/format.h>

namespace parallax::cli {

namespace {

using engine::Algorithm;
using engine::Port;

std::string type_of(const Json& schema) {
    if (schema.contains("enum")) {
        std::vector<std::string> words;
        for (const Json& word : schema["enum"]) words.push_back(word.dump());
        return fmt::format("Literal[{}]", fmt::join(words, ", "));
    }
    if (schema.contains("anyOf")) {
        std::vector<std::string> types;
        for (const Json& choice : schema["anyOf"]) types.push_back(type_of(choice));
        return fmt::format("{}", fmt::join(types, " | "));
    }
    const std::string type = schema.value("type", "");
    if (type == "boolean") return "bool";
    if (type == "integer") return "int";
    if (type == "number") return "float";
    if (type == "string") return "str";
    if (type == "null") return "None";
    if (type == "array") return fmt::format("Sequence[{}]", type_of(schema["items"]));
    return "Mapping[str, Any]";
}

std::string python_function_of(const Algorithm& algorithm) {
    std::string text = fmt::format("    def {}(\n        self,\n", algorithm.name);
    for (const Port& port : algorithm.inputs) {
        if (port.required) text += fmt::format("        {}: ArrayLike,\n", port.name);
    }
    text += "        *,\n";
    for (const Port& port : algorithm.inputs) {
        if (!port.required) text += fmt::format("        {}: ArrayLike | None = None,\n", port.name);
    }
    const Json properties = algorithm.parameters.schema()["properties"];
    for (const engine::ParameterField& field : algorithm.parameters.fields()) {
        for (const std::string& key : field.keys) text += fmt::format("        {}: {} = ...,\n", key, type_of(properties[key]));
    }
    text +=
        "        outputs: Sequence[str] | None = None,\n        into: Mapping[str, Array] | None = None,\n        variant: str | "
        "None = None,\n"
        "        policy: Mapping[str, int] | None = None,\n        wait: Sequence[Event] = (),\n        cancel: CancelToken | "
        "None = None,\n";
    std::vector<std::string> outputs;
    for (const Port& port : algorithm.outputs) outputs.push_back(port.name);
    return text +
           fmt::format("    ) -> Result:\n        \"\"\"{}. Outputs: {}.\"\"\"\n", algorithm.summary, fmt::join(outputs, ", "));
}

}  // namespace

std::string python_bindings(const std::vector<Algorithm>& algorithms) {
    std::string text =
        "# Made by `parallax bindings python` from the tables of all algorithms; not to be edited by hand.\n"
        "from collections.abc import Mapping, Sequence\nfrom typing import Any, Literal\n\n"
        "from . import Array, ArrayLike, CancelToken, Event, Result\n\nclass AlgorithmCalls:\n";
    for (const Algorithm& algorithm : algorithms) text += python_function_of(algorithm);
    return text;
}

}  // namespace parallax::cli
