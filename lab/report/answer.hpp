// What somebody who chooses a device asks first: each case on each device, how many times as fast one is as another, and by how
// much a wanted rate of frames is met.
//
//   "answer": { "by": "end_to_end",
//               "spans": { "end_to_end": { "points": [{ "case", "grid", "rows": [a row or null a device],
//                                                       "speed": [[how many times as fast device i is as device j]] }],
//                                          "overall": [[the same over all cases]] },
//                          "device": the same } }
//
// A speed is { "ratio", "low", "high" }, null where device j has no time, and the list of a device i that has none is empty; a
// device's row at a point is its fastest that agrees with the reference.
#pragma once

#include "parallax/host/json.hpp"

#include <string>
#include <vector>

namespace parallax::engine::compare {

/// "device" or "end_to_end": what the study says, else end to end where it runs without pause, which is about use.
std::string ranked_by(const Json& study);
/// Of a report whose rows have their times.
Json answer_of(const Json& report);
/// The same in sentences: who is fastest, by how much, and who keeps up with the frames.
std::vector<std::string> answer_in_words(const Json& report);

}  // namespace parallax::engine::compare
