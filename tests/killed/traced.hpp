// A program whose calls that change files are seen from outside, one after the other, whatever library makes them: the kernel
// stops it before each (seccomp), and the tracer lets it go on, ends it there, or lets the call fail.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace parallax::tests {

struct TracedRun {
    int status = -1;         ///< of the program; 128 + the signal that ended it
    int calls = 0;           ///< that change files
    std::string last;        ///< the name of the call that was not let through, or of the last one
    std::vector<std::string> log;   ///< "rename", "fsync" ..., where asked for
    std::string err;
};

struct Interference {
    int at = 0;              ///< the first call is 1; 0: none
    int error = 0;           ///< 0: the program is killed before it
    bool log = false;
    std::function<void()> moment = {};   ///< what happens just before the program is killed
};

/// Whether this system lets programs be traced so (Linux, on x86-64, where ptrace is allowed); the reason where it does not.
std::string why_not_traced();
/// Runs `words` in `folder`. `environment` replaces and adds.
TracedRun run_traced(const std::vector<std::string>& words, const std::string& folder,
                     const std::map<std::string, std::string>& environment, const Interference&);

}  // namespace parallax::tests
