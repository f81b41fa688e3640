// parallax algorithms: what can be run, with parameters, defaults and variants.
#include "commands.hpp"
#include "console.hpp"
#include "core/algorithm_json.hpp"
#include "peers/peers.hpp"

#include <fmt/format.h>

namespace parallax::cli {

namespace {

using engine::Algorithm;

void print_ports(const char* title, const std::vector<engine::Port>& ports) {
    if (ports.empty()) return;
    fmt::print("\n{}\n", title);
    for (const engine::Port& port : ports) fmt::print("  {:<20} {}{}\n", port.name, port.required ? "" : "(optional) ", port.doc);
}

void print(const Algorithm& algorithm) {
    fmt::print("{}: {}\n", algorithm.name, algorithm.summary);
    print_ports("inputs", algorithm.inputs);
    print_ports("outputs", algorithm.outputs);
    fmt::print("\nparameters\n");
    const Json schemas = algorithm.parameters.schema()["properties"];
    for (const engine::ParameterField& field : algorithm.parameters.fields()) {
        const Json& schema = schemas[field.canonical_key];
        fmt::print("  {:<20} {}; {}\n", field.canonical_key, field.type,
                   schema.contains("default") ? "default " + text_of(schema["default"], -1) : "required");
        fmt::print("  {:<20} {}\n", "", field.doc);
        if (field.keys.size() > 1) fmt::print("  {:<20} also {}\n", "", fmt::join(field.keys, ", "));
    }
    fmt::print("\nvariants, in order of preference\n");
    for (const engine::Variant& variant : algorithm.variants) {
        std::vector<std::string_view> backends;
        for (const host::Backend backend : variant.backends) backends.push_back(to_string(backend));
        fmt::print("  {:<20} {} [{}; {}]\n", variant.name, variant.summary, to_string(variant.role), fmt::join(backends, ", "));
        for (const engine::PolicyField& field : variant.policy) {
            fmt::print("  {:<20} policy {}: one of {}; default {}. {}\n", "", field.name, fmt::join(field.choices, " | "),
                       field.default_value, field.doc);
        }
    }
}

int list(const std::string& name, bool json) {
    const engine::Registry registry = engine::registry_with_peers();
    if (!name.empty()) {
        const Algorithm& algorithm = registry.get(name, "NAME");
        if (json) fmt::print("{}\n", text_of(to_json(algorithm)));
        else print(algorithm);
        return 0;
    }
    if (json) {
        Json all = Json::array();
        for (const Algorithm& algorithm : registry.algorithms()) all.push_back(to_json(algorithm));
        fmt::print("{}\n", text_of(all));
        return 0;
    }
    for (const Algorithm& algorithm : registry.algorithms()) fmt::print("{:<20} {}\n", algorithm.name, algorithm.summary);
    return 0;
}

}  // namespace

void add_algorithms(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("algorithms", "List algorithms, or one with its parameters and variants");
    struct Options { std::string name; bool json = false; };
    auto options = std::make_shared<Options>();
    sub->add_option("NAME", options->name, "One algorithm");
    sub->add_flag("--json", options->json, "Print JSON");
    sub->callback([options, &command] { command.run = [options] { return list(options->name, options->json); }; });
}

}  // namespace parallax::cli
