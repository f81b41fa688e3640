// A program of one's own as a row of `parallax compare`: another library, another algorithm, another device, on the arrays of the
// study, held against its reference and timed by its rules (docs/peers.md). For Python there is python/peers/worker.py.
//
//   int main() {
//       return parallax::lab::serve(parallax::lab::Peer{.name = "my lab's sums", .version = "1.0", .prepare = prepare});
//   }
//
//   $ parallax compare STUDY --worker "mine=./my_program"
#pragma once

#include "parallax/array.hpp"
#include "parallax/error.hpp"

#include <functional>
#include <map>
#include <string>

namespace parallax::lab {

using Arrays = std::map<std::string, HostArray>;   ///< by their names in the study

/// What a row has computed.
struct PeerResults {
    Arrays arrays = {};                               ///< in the host's memory
    std::map<std::string, std::string> records = {};  ///< JSON texts
};

/// One row. Its functions are called one at a time, in one thread; what they throw is the row's failure.
struct PeerRow {
    std::string variant = {};                      ///< what the row is called
    std::function<void()> run = {};                ///< computes it all, and returns when it has ended: this is timed
    std::function<PeerResults()> results = {};     ///< of the last run; from end to end this is the download
    std::function<void()> upload = {};             ///< brings the inputs to the device once more; empty: they are used where they are
};

struct Peer {
    std::string name = {}, version = {}, vendor = {};
    bool gpu = false;   ///< among which devices the report has it
    /// `steps`: the JSON of the case's steps, [{"run": "box_filter", "parameters": {...}, "in": {...}, "out": {...}}], each parameter
    /// said. Throws UnsupportedError for what it cannot do: the row is refused with the reason. The inputs live as long as the row.
    std::function<PeerRow(const std::string& steps, const Arrays& inputs)> prepare = {};
};

/// Answers `parallax compare` on standard input and output until that closes; the exit status. What else is printed goes to
/// standard error.
int serve(const Peer&);

}  // namespace parallax::lab
