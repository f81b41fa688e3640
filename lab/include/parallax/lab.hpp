// The laboratory as a library, parallax::lab: comparing devices, self-test, tuning. What `parallax compare`, `selftest` and
// `tune` do, for a program of one's own. Reports and results are JSON text, as those commands write it.
//
// Drivers are tried in processes of their own, so that one that crashes or hangs takes nothing with it. Such a process is started
// as `PROGRAM worker WHOM`: the program `parallax`, or the caller's own, where that hands over to serve():
//
//   int main(int argc, char** argv) {
//       if (argc == 3 && std::string(argv[1]) == "worker") return parallax::lab::serve(argv[2]);
//       const parallax::lab::SelfTestOptions options{{.program = argv[0]}};
//       return parallax::lab::passed(parallax::lab::self_test(options)) ? 0 : 1;
//   }
#pragma once

#include "parallax/error.hpp"
#include "parallax/event.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace parallax::lab {

struct Options {
    std::string program = "parallax";   ///< of the workers: a path, or a name that PATH has
    /// "gpu", "cpu", an index, part of a name, or the JSON of a job's `device`; empty: for compare() every device of the study,
    /// else the first that a job would take.
    std::string device = {};
    /// What begins, and the share that is done, 0 to 1; in any thread, one at a time. Must not throw.
    std::function<void(const std::string& what, double done)> progress = {};
    /// Ends with CancelledError, or for tune() with what was found until then.
    CancelToken cancel = CancelToken::none();
};

struct CompareOptions : Options {
    std::string out = {};                            ///< folder for report.json, report.csv and report.html; made where missing
    std::string folder = ".";                        ///< of relative paths in the study
    std::map<std::string, std::string> roots = {};   ///< "NAME:path" in the study
    bool quick = false;                              ///< the study's small sizes: a look, not a measurement
    bool resume = false;                             ///< goes on with a study that was interrupted
    bool overwrite = false;                          ///< replaces an earlier report
    std::map<std::string, std::string> programs =
        {};               ///< name -> command of a program that computes the same cases (docs/peers.md)
    double minutes = 0;   ///< shares them out among the study's points, and says what it left out; 0: no limit
};

/// The text of a study that comes with the program, "buy". Throws ConfigError with their names.
std::string study(const std::string& name);

/// Runs a study (docs/compare.md), or a job with "parallax": 1 as a study of its own steps, and writes its report to `out`; the
/// text of report.json comes back. Rows that cannot be timed say why. Throws ConfigError (pointers are into `study`, or name the
/// option, as in "--out"), UnsupportedError where no device fits, IoError, CancelledError.
std::string compare(const std::string& study, const CompareOptions&);
/// Each row of an earlier report against a later one: JSON of row, device, verdict ("same", "faster", "slower", "ambiguous",
/// "different result", "not there"), ratio of the times (null where one has none), its interval low to high, why. Throws
/// ConfigError for what is no report.
std::string changes(const std::string& earlier, const std::string& later);

/// The reports of many nights, drivers and versions, the oldest first, each held against the first: JSON as `parallax history
/// --json` prints it. `by`: "device" or "end_to_end", the times that count; empty: those by which the study ranks. Throws
/// ConfigError for what is no report, for less than two, and for another `by`.
std::string history(const std::vector<std::string>& reports, const std::string& by = {});
/// Of what history() returned: whether a row of the last report is slower, gone or has another result.
bool worse(const std::string& history);

/// Several machines' reports of one study as one, written to `out`. Throws ConfigError where the studies differ.
std::string merge(const std::vector<std::string>& reports, const std::string& out, bool overwrite = false);

struct SelfTestOptions : Options {
    std::vector<std::string> algorithms = {};   ///< empty: all
    bool thorough = false;                      ///< every variant, type, operation and size with each other
    int workers = 0;                            ///< side by side; 0: one a core, 8 at most
    double limit_s = 300;                       ///< a row that takes longer has failed
};

/// Holds every variant on a device against the reference: JSON as `parallax selftest --json` prints it. What failed is remembered
/// for this user, and no job chooses it there. Throws ConfigError, UnsupportedError, CancelledError.
std::string self_test(const SelfTestOptions&);
/// Of what self_test() returned: whether nothing failed.
bool passed(const std::string& self_test);

struct TuneOptions : Options {
    std::vector<std::string> algorithms = {}, variants = {};   ///< empty: all
    double seconds = 10;                                       ///< of each search
    std::string out = {};                                      ///< folder of <algorithm>.json, for PARALLAX_TUNING
    bool again = false;                                        ///< also what has an entry already
    double limit_s = 120;                                      ///< a candidate that does not answer for so long has hung
};

/// The fastest policy of each variant, written to `out`: JSON as `parallax tune --json` prints it. Throws ConfigError,
/// UnsupportedError, IoError.
std::string tune(const TuneOptions&);

/// Serves as a worker of "compare", "selftest" or "tune" on standard input and output until that closes; the exit status.
int serve(const std::string& whom);

}  // namespace parallax::lab
