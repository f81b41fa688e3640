// The process that has one device and does what it is told, line by line: requests come on standard input, answers go to standard
// output, one JSON object a line each. Where a driver ends or hangs this process, the study goes on without it.
//
//   {"do": "open", "device": {...}, "cache": DIR, "quick": false}  -> {"device": {...}, "rates": {...}}
//   {"do": "make", "inputs": {...}, "settings": {...}, "folder": DIR, "base": DIR} -> {"arrays": {name: "u8 480 x 640 (y, x)"}}
//   {"do": "reference", "job": {...}, "inputs": [...], "input_folder": DIR, "folder": DIR} -> {"seconds": ...}
//   {"do": "prepare", "job": {...}, "inputs": ..., "reference": DIR, "tolerance": ..., ...} -> what compiling, agreeing,
//   evaluating gave
//       with "again": true, of a row that another process has told about -> {}
//   {"do": "agree", "folder": DIR, "records": {...}, "reference": DIR, "tolerance": ...} -> {"agreement": {...}}: of another
//   program
//   {"do": "sample", "move": false, "warmups": 3, "warm_s": 0, "samples": 6, "least_s": 0, "budget_s": 0.4, "cold_cache": false}
//                                                                  -> {"device": [...], "wall": [...], "stages": {...}}
//   {"do": "end_to_end", "samples": 6, "budget_s": 0.4}            -> {"wall": [...], "upload": [...], ...}
//   {"do": "sustained", "seconds": 60}                             -> {"runs_a_second": ..., "each_second": [...], ...}
//   {"do": "energy", "seconds": 10, "idle_s": 2}                   -> {"counter_joules": ..., "integrated_joules": ..., ...}, or
//   {}
//   {"do": "release"}                                              -> {}
//
// A request that fails is answered with {"error": {"kind": ..., "message": ...}}.
#pragma once

namespace parallax::engine::compare {

/// Serves until its input ends. Returns the exit status.
int serve();

}  // namespace parallax::engine::compare
