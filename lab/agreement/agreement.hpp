// Whether a result is the reference's: exact for integers, within a tolerance for reals, with the figures either way.
#pragma once

#include "parallax/array.hpp"
#include "parallax/host/json.hpp"

#include <map>
#include <string>

namespace parallax::engine::compare {

struct Tolerance {
    double relative = 1e-5;        ///< of the largest magnitude in the reference, for reals
    double levels = 0;             ///< for integers
};

/// A number (relative), or {"relative": ..., "levels": ...}; an object whose keys are outputs holds one for each. null: the
/// default. Throws ConfigError at `pointer`.
Tolerance tolerance_for(const Json& written, const std::string& output, const std::string& pointer);

struct Agreement {
    bool agrees = true;
    std::string why_not;           ///< "amplitude: 3.1e-2 of the largest magnitude at [12, 40], more than 1e-5"
    double max_error = 0;          ///< absolute
    double relative = 0;           ///< of the largest magnitude in the reference
    double rms = 0;                ///< relative L2
    double ulp_median = 0, ulp_99 = 0, ulp_max = 0;   ///< f32: steps between neighbouring numbers; reals only
    std::int64_t differing = 0;    ///< elements that are not equal
    bool exact = true;             ///< nothing differs
    Json to_json() const;
};

Agreement compare_arrays(const HostArray& result, const HostArray& reference, const Tolerance&, const std::string& name);
/// Integers, texts and shapes must be equal, other numbers within the tolerance of their own magnitude.
Agreement compare_records(const Json& result, const Json& reference, const Tolerance&, const std::string& name);
/// The worse of two outputs.
void merge_into(Agreement& all, const Agreement& one);

}  // namespace parallax::engine::compare
