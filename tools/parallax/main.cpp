// parallax: the command line. 0 done, 1 the work failed (device, I/O), 2 the request was wrong.
#include "commands.hpp"
#include "console.hpp"
#include "terminal.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>

namespace {

using namespace parallax::cli;

int parse_and_run(int argc, char** argv) {
    CLI::App app("One imaging computation, seen from every device.", "parallax");
    app.set_version_flag("--version", std::string("parallax ") + PARALLAX_VERSION);
    app.require_subcommand(1);
    bool verbose = false;
    app.add_flag("--verbose", verbose, "Say more on stderr");
    app.fallthrough();
    app.footer("Exit status: 0 done, 1 the work failed (device, files), 2 the request was wrong.");

    Command command;
    add_run(app, command);
    add_plan(app, command);
    add_devices(app, command);
    add_algorithms(app, command);
    add_init(app, command);
    add_info(app, command);
    add_schema(app, command);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& done) {   // --help, --version
        return app.exit(done);
    } catch (const CLI::ParseError& error) {
        std::vector<std::string> names;
        for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
        std::string hint;
        if (app.get_subcommands().empty() && argc > 1) hint = parallax::engine::did_you_mean(argv[1], names);
        report_error(parallax::ConfigError("", error.what(), fmt::format("one of the commands {}, or an option of it", fmt::join(names, ", ")), hint), "");
        fmt::print(stderr, "  parallax --help and parallax COMMAND --help list them\n");
        return 2;
    }

    const auto logger = spdlog::stderr_color_mt("parallax");
    logger->set_pattern("%^%l%$: %v");
    logger->set_level(verbose ? spdlog::level::debug : spdlog::level::warn);
    spdlog::set_default_logger(logger);
    try {
        return command.run();
    } catch (const std::exception& error) {
        return report_error(error, command.origin);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return parse_and_run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
    } catch (...) {
        std::fprintf(stderr, "error: something that is no std::exception was thrown\n");
    }
    return 1;
}
