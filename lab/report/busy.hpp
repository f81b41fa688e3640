// Whether a machine did other things when a report was begun: its times are then longer than its own, and another day's are
// others.
#pragma once

#include <string>

#include "parallax/host/json.hpp"

namespace parallax::engine::compare {

/// "a load of 9.4 on 2 threads"; empty where more than half of the threads were free, or nobody knows.
std::string load_in_words(const Json& session);

}   // namespace parallax::engine::compare
