// parallax bindings cpp: parameter structs and one function an algorithm, made from the same tables as the parser.
#include "laboratory/bindings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace parallax::cli {

namespace {

using engine::Algorithm;
using engine::Port;

bool is_enum(const Json& schema) { return schema.contains("enum"); }

const Json* branch(const Json& schema, const char* type) {
    if (!schema.contains("anyOf")) return nullptr;
    for (const Json& choice : schema["anyOf"]) {
        if (choice.value("type", "") == type) return &choice;
    }
    return nullptr;
}

/// `auto` and the like are no names in C++.
std::string identifier(const std::string& word) {
    static const std::vector<std::string> keywords{"auto",   "default", "double", "float", "int", "long", "short", "signed",
                                                   "static", "switch",  "union",  "xor",   "and", "or",   "not"};
    const bool taken = std::find(keywords.begin(), keywords.end(), word) != keywords.end();
    return taken ? word + "_" : word;
}

std::string number(const Json& value) {
    const std::string text = value.dump();
    return text;
}

/// A field as C++ has it: its type and its default. What has none, because it is required, begins at a value that no job
/// could mean, is left out of the JSON as every default is, and missed there.
struct Member {
    std::string type, value;
};

Member member_of(const std::string& name, const Json& schema, const Json& standard) {
    if (is_enum(schema))
        return {camel_case(name), fmt::format("{}::{}", camel_case(name), identifier(standard.get<std::string>()))};
    const std::string type = schema.value("type", "");
    if (type == "boolean") return {"bool", standard.get<bool>() ? "true" : "false"};
    if (type == "integer") return {"int", number(standard)};
    if (type == "number") return {"double", standard.is_null() ? "0.0" : number(standard)};
    if (type == "string") return {"std::string", fmt::format("\"{}\"", standard.get<std::string>())};
    if (const Json* object = branch(schema, "object"); object && object->contains("properties") && branch(schema, "null")) {
        return {fmt::format("Optional<{}>", camel_case(name)),
                standard.is_string() ? fmt::format("\"{}\"", standard.get<std::string>()) : ""};
    }
    if (const Json* names = branch(schema, "object");
        names && names->contains("patternProperties") && !names->contains("properties"))
        return {"std::vector<Label>", ""};
    if (branch(schema, "object")) return {"Sweep", standard.is_number() ? number(standard) : "std::vector<double>{}"};
    const Json* list = branch(schema, "array");
    if (list && (*list)["items"]["type"] == "number") {
        if (standard.is_array()) return {"Pair", fmt::format("{}, {}", number(standard[0]), number(standard[1]))};
        return {"Pair", number(standard)};
    }
    if (list && branch(schema, "integer")) return {"std::vector<int>", standard.is_null() ? "" : number(standard)};
    if (!list && branch(schema, "number") && branch(schema, "null"))
        return {"std::optional<double>", standard.is_null() ? "" : number(standard)};
    if (list) return {fmt::format("std::optional<std::array<int, {}>>", (*list)["maxItems"].get<int>()), ""};
    throw Error(fmt::format("the field {} is of a kind that bindings cpp does not know", name));
}

/// A line; too long a one goes on in another behind `at`, where that is last found within the width.
std::string folded(const std::string& indent, const std::string& code, const std::string& at) {
    constexpr std::size_t width = 130;
    const std::string line = indent + code;
    if (line.size() <= width) return line + "\n";
    const std::size_t end = line.rfind(at, width - at.size()) + at.size();
    return line.substr(0, line.find_last_not_of(' ', end - 1) + 1) + "\n" +
           folded(indent + "    ", line.substr(line.find_first_not_of(' ', end)), at);
}

void add_doc(std::string& text, const std::string& indent, const std::string& doc) {
    std::string line = indent + "///";
    std::size_t start = 0;
    while (start < doc.size()) {
        const std::size_t end = std::min(doc.find(' ', start), doc.size());
        const std::string word = doc.substr(start, end - start);
        if (line.size() + 1 + word.size() > 118) {
            text += line + "\n";
            line = indent + "///";
        }
        line += " " + word;
        start = end + 1;
    }
    text += line + "\n";
}

/// `properties` are the canonical keys, each with the name of its field and its schema.
struct Property {
    std::string name, key;
    Json schema;
};

std::string struct_of(const std::string& title, const std::string& doc, const std::string& algorithm,
                      const std::vector<Property>& properties, const std::string& indent) {
    const std::string inner = indent + "    ";
    std::string text;
    add_doc(text, indent, doc);
    text += fmt::format("{}struct {} {{\n", indent, title);
    if (!algorithm.empty()) text += fmt::format("{}static constexpr const char* algorithm = \"{}\";\n", inner, algorithm);
    std::string types, members, body;
    for (const Property& property : properties) {
        const Json& schema = property.schema;
        const Json standard = schema.value("default", Json());
        const std::string member = identifier(property.key);
        const std::string type = camel_case(property.name);
        if (is_enum(schema)) {
            std::vector<std::string> names, words;
            for (const Json& word : schema["enum"]) {
                names.push_back(identifier(word.get<std::string>()));
                words.push_back(fmt::format("\"{}\"", word.get<std::string>()));
            }
            types += fmt::format("{}enum class {} {{ {} }};\n", inner, type, fmt::join(names, ", "));
            const std::string here = inner + "    ";
            body += folded(here,
                           fmt::format("static constexpr const char* {}_words[] = {{{}}};", property.key, fmt::join(words, ", ")),
                           ", ");
            body +=
                folded(here,
                       fmt::format("if ({0} != standard.{0}) out.add(\"{1}\", detail::word({1}_words, static_cast<int>({0})));",
                                   member, property.key),
                       ") ");
        } else {
            if (const Json* object = branch(schema, "object");
                object && object->contains("properties") && branch(schema, "null")) {
                std::vector<Property> nested;
                for (const auto& [key, value] : (*object)["properties"].items()) nested.push_back({key, key, value});
                types += struct_of(type, fmt::format("{} of {}.", property.name, title), "", nested, inner);
            }
            body += fmt::format("{}    if (!({} == standard.{})) out.add(\"{}\", {});\n", inner, member, member, property.key,
                                member);
        }
        const Member m = member_of(property.name, schema, standard);
        add_doc(members, inner, schema.value("description", ""));
        members += fmt::format("{}{} {}{{{}}};\n", inner, m.type, member, m.value);
    }
    text += types + (types.empty() ? "" : "\n") + members;
    text += fmt::format("\n{}bool operator==(const {}&) const = default;\n", inner, title);
    text += fmt::format(
        "{}/// The fields that are not at their defaults, as a step of a job has them.\n{}std::string json() const {{\n", inner,
        inner);
    if (!properties.empty()) text += fmt::format("{}    const {} standard{{}};\n", inner, title);
    text += fmt::format("{}    detail::JsonObject out;\n{}{}    return out.text();\n{}}}\n{}}};\n", inner, body, inner, inner,
                        indent);
    return text;
}

std::string ports(const std::vector<Port>& list) {
    std::vector<std::string> names;
    for (const Port& port : list) names.push_back(port.name + (port.required ? "" : " (optional)"));
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string cpp_function_of(const Algorithm& algorithm) {
    std::string text;
    add_doc(text, "    ", fmt::format("{}. Outputs: {}.{}", algorithm.summary, ports(algorithm.outputs), [&] {
        std::vector<std::string> optional;
        for (const Port& port : algorithm.inputs) {
            if (!port.required) optional.push_back(port.name);
        }
        return optional.empty() ? std::string() : fmt::format(" Optional inputs: {}.", fmt::join(optional, ", "));
    }()));
    std::string inputs, pairs;
    for (const Port& port : algorithm.inputs) {
        if (!port.required) continue;
        inputs += fmt::format(", const Input& {}", port.name);
        pairs += fmt::format("{}{{\"{}\", {}}}", pairs.empty() ? "" : ", ", port.name, port.name);
    }
    const std::string type = camel_case(algorithm.name) + "Parameters";
    text += fmt::format("    Result {}(const {}& parameters{}, CallOptions options = {{}}) {{\n", algorithm.name, type, inputs);
    text += fmt::format("        return self().run(call(parameters, {{{}}}, std::move(options)));\n    }}\n", pairs);
    return text;
}

}  // namespace

std::string camel_case(const std::string& name) {
    std::string text;
    bool upper = true;
    for (const char c : name) {
        if (c == '_') { upper = true; continue; }
        text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = false;
    }
    return text;
}

std::string cpp_bindings(const std::vector<Algorithm>& algorithms) {
    std::string text =
        "// Made by `parallax bindings cpp` from the tables of all algorithms; not to be edited by hand.\n"
        "//\n"
        "// Fields have the names, units and defaults of a job's keys: HologramParameters{.wavelength_nm = 532, .distance_um = "
        "900}.\n"
        "#pragma once\n\n#include \"parallax/call.hpp\"\n#include \"parallax/parameters.hpp\"\n\n"
        "#include <array>\n#include <optional>\n#include <string>\n#include <utility>\n#include <vector>\n\nnamespace parallax "
        "{\n";
    for (const Algorithm& algorithm : algorithms) {
        std::vector<Property> properties;
        const Json schema = algorithm.parameters.schema();
        for (const engine::ParameterField& field : algorithm.parameters.fields()) {
            Json property = schema["properties"][field.canonical_key];
            if (!property.contains("default")) property["description"] = "Required. " + field.doc;
            properties.push_back({field.name, field.canonical_key, std::move(property)});
        }
        text +=
            "\n" + struct_of(camel_case(algorithm.name) + "Parameters", algorithm.summary + ".", algorithm.name, properties, "");
    }
    text +=
        "\n/// One function an algorithm; S is a Session. Throws as Session::run does.\n"
        "template <class S>\nclass AlgorithmCalls {\npublic:\n";
    for (const Algorithm& algorithm : algorithms) text += cpp_function_of(algorithm);
    text += "\nprivate:\n    S& self() { return static_cast<S&>(*this); }\n};\n\n}  // namespace parallax\n";
    return text;
}

}  // namespace parallax::cli
