// The same study, run again: what changed, row by row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/compare.hpp"
#include "parallax/host/json.hpp"
#include "report/samples.hpp"
#include "timing/statistics.hpp"

namespace parallax::engine::compare {

struct Change {
    std::string row;          ///< id in the earlier report
    std::string device;       ///< of the later one
    std::string verdict;      ///< "same", "faster", "slower", "ambiguous", "different result", "not there"
    double ratio = 0, low = 0, high = 0;   ///< later / earlier time; 0: not timed in both
    double difference_s = 0;               ///< later - earlier time
    std::string why;
    bool of_processes = false;              ///< the interval holds what processes differ by
    double confidence = usual_confidence;   ///< of the interval
};

/// Throws ConfigError where the report has no rows: nothing could be slower than they were.
void check_has_rows(const Json& earlier, const std::string& name);
/// Each row of `earlier` against the row of `later` with the same case, grid and variant on the same device: by its label, else
/// by name, backend and platform. Integers must have the same bits and rows the same outcome, else the result is different; reals
/// must have the same bits where device, driver and engine are the same. Times, by which the study ranks or those of `by`, differ
/// as judge_repeat() says, of rows
/// that were measured in fresh processes as judge_processes() does.
std::vector<Change> changes_between(const Json& earlier, const Json& later, std::optional<Span> by = {});
Json to_json(const std::vector<Change>&);
/// Of the devices here those that the earlier report has, or that have taken their places: of others there is nothing to tell. All
/// of them where there is none.
std::vector<StudyDevice> devices_again(const Json& earlier, const std::vector<StudyDevice>& here);
/// The two rows alone.
Change change_of(const Json& earlier_row, const Json& later_row, bool same_program, Span = Span::device);
/// What a change of times is, where a row's nights have shown how far it moves by itself: `margin`. It is claimed only by an
/// interval of the usual confidence.
Verdict verdict_of(const Change&, double margin);
/// Whether something is worse than it was: slower, another result, or gone.
bool is_worse(const Change&);

}  // namespace parallax::engine::compare
