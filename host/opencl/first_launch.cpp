#include "opencl/first_launch.hpp"

#include "opencl/child_build.hpp"
#include "opencl/context.hpp"
#include "opencl/program.hpp"
#include "opencl/verdict.hpp"
#include "program/lock.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::host::opencl {
namespace {

/// PoCL has other code for launches that are less than this wide, where sums of indices fit into less.
constexpr std::size_t narrow_limit = 65535;

}  // namespace

bool FirstLaunches::known(const std::string& launch) const {
    const std::lock_guard lock(mutex_);
    return std::find(known_.begin(), known_.end(), launch) != known_.end();
}

void FirstLaunches::add(const std::string& launch) {
    const std::lock_guard lock(mutex_);
    known_.push_back(launch);
}

void meet_first_launch(const ClContext& context, const BuiltProgram& program, const std::string& kernel,
                       const std::array<std::size_t, 3>& global, const std::array<std::size_t, 3>& local) {
    if (program.binary.empty()) return;
    const bool wide = std::max(global[0], global[1]) >= narrow_limit;
    const std::string launch = fmt::format("{}-{}x{}x{}{}", kernel, local[0], local[1], local[2], wide ? "-wide" : "");
    if (program.launches.known(launch)) return;

    ProgramCache* const cache = context.cache();
    const std::string key = fmt::format("launch-{}-{}", program.hash, launch);
    const auto stop = [&](const std::string& reason) {
        refuse(program.file,
               fmt::format("{}: kernel {} in work-groups of {} x {} x {}", program.file, kernel, local[0], local[1], local[2]),
               program.options, reason);
    };
    auto verdict = known_verdict(cache, key);
    if (!verdict) {
        const BuildLock alone(cache, key);
        if (alone.held()) verdict = known_verdict(cache, key);   // another process may have met it meanwhile
        if (!verdict) {
            // As few groups as are compiled for alike.
            std::array<std::size_t, 3> least = local;
            if (wide) least[0] = local[0] * (narrow_limit / local[0] + 1);
            const ChildBuild met = launch_in_child(context.place(), program.binary, program.options, {kernel, local, least});
            if (met.outcome == ChildBuild::Outcome::lost)
                stop(met.lasting ? keep_failure(cache, key, met.reason, met.took_s) : met.reason);
            if (met.outcome == ChildBuild::Outcome::built) keep_sound(cache, key);
            verdict = std::string();
        }
    }
    if (!verdict->empty()) stop(*verdict);
    program.launches.add(launch);
}

}  // namespace parallax::host::opencl
