// What one variant made of one problem.
#pragma once

#include "parallax/host/json.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace parallax::engine::selftest {

enum class Outcome { pass, refused, failed };
std::string_view to_string(Outcome) noexcept;    ///< "pass", "refuse", "fail"

struct Row {
    std::string algorithm, problem, variant;
    std::string type;                            ///< of the largest input's elements
    bool peer = false;                           ///< another's library
    Outcome outcome = Outcome::failed;
    std::string reason;                          ///< why it refused or failed; a failed build or launch says its message
    Json agreement;                              ///< compare::Agreement, where it ran to its end; else null
    double seconds = 0;                          ///< compiling included
    bool judged = true;                          ///< not where others have ended its process, which says nothing of the variant

    bool exact() const { return agreement.is_object() && agreement.value("exact", false); }
    Json to_json() const;
    static Row from_json(const Json&);
};

/// No row failed, and at least one passed.
bool passed(const std::vector<Row>&);

}  // namespace parallax::engine::selftest
