#include "report/busy.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace parallax::engine::compare {

std::string load_in_words(const Json& session) {
    const Json environment = session.value("environment", Json::object());
    const Json load = environment.value("load", Json()), threads = environment.value("threads", Json());
    if (!load.is_string() || !threads.is_number()) return {};
    const double running = std::strtod(load.get<std::string>().c_str(), nullptr), all = threads.get<double>();
    return running > all / 2 ? fmt::format("a load of {:.1f} on {:g} threads", running, all) : std::string();
}

}   // namespace parallax::engine::compare
