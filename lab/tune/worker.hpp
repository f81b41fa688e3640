// The process in which candidates run: a driver that crashes or hangs under one of them ends this process, not the search.
//
//   {"do": "open", "device": {...}}                                        -> {"device": name}
//   {"do": "problem", "set": {...}, "problem": 0}                          -> {"type": "f32", "size": "small"}   inputs are made;
//   0: the
//                                                                             set's problem, n: check n - 1
//   {"do": "reference", "problem": 0}                                      -> {}                 what every candidate is held
//   against
//   {"do": "why_not", "problem": 0, "variant": NAME}                       -> {"reason": ""}
//   {"do": "build", "problem": 0, "ways": [{...}], "threads": 4}           -> {}
//   {"do": "measure", "problem": 0, "way": {...}, "best_s": 0.001}         -> {"outcome": "timed", "seconds": ..., "reason": "",
//   "clock": "device"}
//   {"do": "duel", "problem": 0, "first": {...}, "second": {...}, "budget_s": 2, "least_gain": 1.02} -> {"gain": [median, low,
//   high], ...}
//
// A request that fails is answered as in workers/worker_protocol.hpp.
#pragma once

namespace parallax::engine::tune {

/// Serves until its input ends. Returns the exit status.
int serve();

}  // namespace parallax::engine::tune
