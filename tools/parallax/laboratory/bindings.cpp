// parallax bindings: the typed interfaces of C++ and Python, printed.
#include "laboratory/bindings.hpp"

#include "laboratory/commands.hpp"
#include "console.hpp"
#include "peers/peers.hpp"

#include <fmt/format.h>

namespace parallax::cli {

void add_bindings(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand(
        "bindings", "Print the typed interface of a language: cpp (parallax/algorithms.hpp) or python (its type stubs)");
    auto language = std::make_shared<std::string>();
    sub->add_option("LANGUAGE", *language, "cpp or python")->required()->check(CLI::IsMember({"cpp", "python"}));
    sub->callback([language, &command] {
        command.run = [language] {
            const engine::Registry registry = engine::registry_with_peers();
            fmt::print("{}", *language == "cpp" ? cpp_bindings(registry.algorithms()) : python_bindings(registry.algorithms()));
            return 0;
        };
    });
}

}  // namespace parallax::cli
