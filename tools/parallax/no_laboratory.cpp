// In the place of laboratory/, in a build without it (PARALLAX_LAB=OFF, as tools/run makes it).
#include "commands.hpp"

namespace parallax::cli {

void add_laboratory(CLI::App& app, Command& command) {
    for (const char* name : {"compare", "report", "history", "results", "rates", "tune", "selftest", "schema"}) {
        CLI::App* sub = app.add_subcommand(name, "(not in this build)")->fallthrough(false)->allow_extras();
        sub->callback([name, &command] {
            command.run = [name]() -> int {
                throw UnsupportedError("parallax " + std::string(name) + " is not in this build",
                                       {"it was built for jobs alone: tools/test builds the rest, or cmake -DPARALLAX_LAB=ON"});
            };
        });
    }
}

}  // namespace parallax::cli
