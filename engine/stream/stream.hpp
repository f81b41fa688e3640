// A job whose input is frames on standard input, and whose output is frames on standard output:
//
//   camera | parallax run job.json | ffmpeg -i - out.mp4
//
// reader --(frames)--> several on the device at once --(arrays)--> writer
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/session.hpp"
#include "exec/step_report.hpp"
#include "job/job.hpp"
#include "job/paths.hpp"
#include "job/prepare.hpp"

namespace parallax::engine::stream {

/// Whether an input or an output of the job is "-".
bool is_stream(const Job&);
/// Throws ConfigError for what such a job cannot have: several streams, for_each, outputs that are files.
void check(const Job&);

/// What one frame would take: of the layout that "raw" states, else as the first frame on the descriptor `input` begins, which is
/// then read from; -1: there is none. Throws ConfigError where "raw" states none and nothing comes within ten seconds, and for
/// stated results that the output cannot hold; IoError for what is no frame, or for results that its kind of stream does not hold;
/// what engine::prepare() throws.
Prepared prepare(const Job&, const Locations&, int input = -1);

struct Options {
    int input = 0, output = 1;   ///< descriptors
    int in_flight = 3;           ///< frames on the device at once
    std::function<bool()> cancelled;
    std::function<void(std::size_t)> progress;   ///< frames that are done
};

struct Result {
    std::size_t frames = 0;
    double seconds = 0;
    std::vector<double> latencies;   ///< seconds from when a frame had come to when its result was written, sorted
    std::vector<StepReport> steps;
    std::vector<std::string> warnings;
    bool stopped = false;   ///< by the caller
    bool closed = false;    ///< nobody reads the output any more
};

/// Until the input ends. Throws IoError for frames that cannot be read, after the results of those before are written, and what
/// Engine throws.
Result run(const Job&, const Locations&, Engine&, const Options&);

}   // namespace parallax::engine::stream
