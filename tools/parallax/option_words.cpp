#include "option_words.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

namespace parallax::cli {

namespace {

/// The option that a word names, as `--out` and `--out=DIR` do; null where it names none.
const CLI::Option* named_by(const std::string& word, const CLI::App& app, const CLI::App& command) {
    if (!word.starts_with("-")) return nullptr;
    const std::string name = word.substr(0, word.find('='));
    const CLI::Option* const own = command.get_option_no_throw(name);
    return own != nullptr ? own : app.get_option_no_throw(name);
}

const CLI::App& command_in(const std::string& word, const CLI::App& app) {
    for (const CLI::App* sub : app.get_subcommands({})) {
        if (sub->get_name() == word) return *sub;
    }
    return app;
}

}  // namespace

void refuse_options_as_values(const CLI::App& app, const std::vector<std::string>& arguments) {
    const CLI::App* command = &app;
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
        const std::string& word = arguments[i];
        const CLI::Option* const option = named_by(word, app, *command);
        if (option == nullptr) command = &command_in(word, *command);
        if (option == nullptr || option->get_items_expected_min() == 0) continue;
        if (word.ends_with('='))   // of a variable that is not set: CLI11 would go on to the next word
            throw ConfigError(word.substr(0, word.size() - 1), "an empty value", "a value, or the option left out");
        if (word.find('=') != std::string::npos || i + 1 == arguments.size()) continue;
        const std::string& value = arguments[++i];
        const bool named = named_by(value, app, *command) != nullptr;
        if (named || (value.starts_with("--") && value.size() > 2))   // the name of one, or, misspelt, of none
            throw ConfigError(word, fmt::format("{}, {}", value, named ? "an option itself" : "which begins as an option does"), "a value",
                              fmt::format("{}={} where that is meant", word, value));
    }
}

}  // namespace parallax::cli
