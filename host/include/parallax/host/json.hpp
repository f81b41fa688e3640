// The one JSON type of the project: keys keep the order in which a person wrote them.
#pragma once

#include <nlohmann/json.hpp>

namespace parallax {
using Json = nlohmann::ordered_json;
}
