// What the paper says that a study repeats: "of" is so many times as fast as "to", or a value of each row is what it should be.
// What the rows say of it stands in the report's words (report/claims.hpp).
#pragma once

#include <string>

#include "parallax/host/json.hpp"

namespace parallax::engine::compare {

/// Throws ConfigError.
void check_claims(const Json& claims, const std::string& pointer);
Json claims_schema();

}   // namespace parallax::engine::compare
