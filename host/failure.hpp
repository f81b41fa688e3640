// A failure that is kept may have been the fault of the moment: how long it is believed.
#pragma once

#include "parallax/host/json.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace parallax::host {

std::int64_t seconds_since_1970();

struct Failure {
    std::string circumstances;   ///< of the process that found it (circumstances.hpp): others may fare better
    std::int64_t at = 0;         ///< when it was found, in seconds since 1970
    int times = 1;               ///< how often in a row
    double took_s = 0;           ///< to find out

    /// When it is tried again at the latest: ten minutes later, or twelve times what it took to find out where that is more; six
    /// times as long each time that it is found again, and thirty days at most.
    std::int64_t until() const;
    /// Now, and for this process. One that is of the future is of a clock that was wrong.
    bool holds() const;
    Json to_json() const;
};

/// One that was found just now, after the one that had been kept.
Failure failure_now(const std::optional<Failure>& before, double took_s = 0);
/// Nothing where that is none, or is written by something else.
std::optional<Failure> failure_from(const Json&);

}  // namespace parallax::host
