// parallax: the command line. 0 done, 1 the work failed (device, I/O), 2 the request was wrong.
#include "commands.hpp"
#include "console.hpp"
#include "open_files.hpp"
#include "option_words.hpp"
#include "own_rights.hpp"
#include "reserve.hpp"
#include "terminal.hpp"
#include "support/warnings.hpp"
#include "io/hints.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace {

using namespace parallax::cli;

/// A command line that CLI11 could not read: what is wrong, and the nearest command or option.
int refuse(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    std::vector<std::string> names, options;
    for (const CLI::App* sub : app.get_subcommands({})) {
        if (sub->get_name() != "worker") names.push_back(sub->get_name());   // the program's own
    }
    const CLI::App& spoken_to = chosen.empty() ? app : *chosen.front();
    for (const CLI::App* of : {&spoken_to, &app}) {
        for (const CLI::Option* option : of->get_options()) options.push_back(option->get_name());
    }
    std::string hint, found = error.what();
    if (chosen.empty()) {
        const auto first =
            std::find_if(arguments.begin(), arguments.end(), [](const std::string& a) { return !a.starts_with("-"); });
        found = first == arguments.end() ? std::string("no command") : fmt::format("\"{}\", which is no command", *first);
        if (first != arguments.end() && first->ends_with(".json")) hint = fmt::format("parallax run {}", *first);
        if (first != arguments.end() && (*first == "help" || *first == "version")) hint = fmt::format("parallax --{}", *first);
    }
    for (const std::string& argument : arguments) {   // -o for --out
        if (!hint.empty() || argument.size() != 2 || argument[0] != '-' || argument[1] == '-') continue;
        std::vector<std::string> long_ones;
        for (const std::string& option : options) {
            const bool told = std::find(long_ones.begin(), long_ones.end(), option) != long_ones.end();
            if (option.size() > 3 && option[2] == argument[1] && !told) long_ones.push_back(option);
        }
        if (!long_ones.empty()) hint = fmt::format("options have long names: {}", fmt::join(long_ones, ", "));
    }
    for (const std::string& argument : arguments) {
        const std::vector<std::string>& known = argument.starts_with("-") ? options : names;
        const bool right = std::find(known.begin(), known.end(), argument) != known.end();
        if (hint.empty() && !right && (chosen.empty() || argument.starts_with("-")))
            hint = parallax::did_you_mean(argument, known);
    }
    const std::string expected = chosen.empty() ? fmt::format("one of the commands {}", fmt::join(names, ", "))
                                                : fmt::format("what parallax {} --help lists", spoken_to.get_name());
    return report_error(parallax::ConfigError("", found, expected, hint), "");
}

/// A variable of a script that is not set gives "--limit ''": what was asked for would not be done, and nobody told.
void refuse_empty_values(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        const std::vector<std::string> given = option->results();
        if (option->count() > 0 && std::find(given.begin(), given.end(), "") != given.end())
            throw parallax::ConfigError(option->get_name(), "an empty value", "a value, or the option left out");
    }
    for (const CLI::App* sub : app.get_subcommands()) refuse_empty_values(*sub);
}

parallax::IoError output_error(const std::error_code& error) {
    return {"standard output", "cannot be written: " + error.message(), parallax::io::write_hint_for(error)};
}

int parse_and_run(const std::vector<std::string>& arguments) {
    CLI::App app("One imaging computation, seen from every device.", "parallax");
    app.set_version_flag("--version", std::string("parallax ") + PARALLAX_VERSION);
    app.allow_windows_style_options(false);   // /data/job.json is a path there, too
    app.require_subcommand(1);
    bool verbose = false;
    app.add_flag("--verbose", verbose, "Say more on stderr");
    app.fallthrough();
    app.footer("Exit status: 0 done, 1 the work failed (device, files), 2 the request was wrong.");

    Command command;
    add_run(app, command);
    add_plan(app, command);
    add_series(app, command);
    add_laboratory(app, command);
    add_devices(app, command);
    add_algorithms(app, command);
    add_init(app, command);
    add_info(app, command);

    try {
        refuse_options_as_values(app, arguments);
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));   // CLI11 takes the last one first
        refuse_empty_values(app);
    } catch (const CLI::Success& done) {   // --help, --version
        std::ostringstream text;
        const int status = app.exit(done, text, text);
        command.run = [status, text = text.str()] {
            fmt::print("{}", text);
            return status;
        };
    } catch (const CLI::ParseError& error) {
        return refuse(app, error, arguments);
    } catch (const parallax::ConfigError& error) {
        return report_error(error, "");
    }

    const auto logger = spdlog::stderr_color_mt("parallax");
    logger->set_pattern("%^%l%$: %v");
    logger->set_level(verbose ? spdlog::level::debug : spdlog::level::warn);
    spdlog::set_default_logger(logger);
    parallax::host::on_warning([](const std::string& text) { spdlog::warn("{}", parallax::host::printable_line(text)); });
    try {
        const int status = command.run();
        const std::error_code lost = error_of_output();
        if (lost == std::errc::broken_pipe) return reader_gone;
        if (lost) throw output_error(lost);
        return status;
    } catch (const std::exception& error) {
        const auto* const of_the_system = dynamic_cast<const std::system_error*>(&error);
        if (of_the_system != nullptr && of_the_system->code() == std::errc::broken_pipe) return reader_gone;
        const bool in_printing = of_the_system != nullptr && std::ferror(stdout) != 0;
        const int status =
            in_printing ? report_error(output_error(of_the_system->code()), "") : report_error(error, command.origin);
        if (dynamic_cast<const parallax::DeviceError*>(&error) == nullptr) return status;
        std::fflush(nullptr);
        std::_Exit(status);   // the driver of a device that hangs would wait for it on the way out
    }
}

}  // namespace

int main(int argc, char** argv) {
    claim_standard_streams();
    keep_reserve();
    allow_open_files();
    keep_own_rights();
    try {
        return parse_and_run(arguments_of(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
    } catch (...) {
        std::fprintf(stderr, "error: something that is no std::exception was thrown\n");
    }
    return 1;
}
