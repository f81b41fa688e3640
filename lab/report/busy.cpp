#include "report/busy.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

namespace parallax::engine::compare {

std::string load_in_words(const Json& session) {
    const Json environment = session.value("environment", Json::object());
    const Json load = environment.value("load", Json()), threads = environment.value("threads", Json());
    if (!load.is_string() || !threads.is_number()) return {};
    const auto running = host::leading_number(load.get<std::string>());
    const double all = threads.get<double>();
    return running && running->number > all / 2 ? fmt::format("a load of {:.1f} on {:g} threads", running->number, all)
                                                : std::string();
}

}   // namespace parallax::engine::compare
