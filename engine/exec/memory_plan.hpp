// Whether a pipeline fits a device, and how it goes through the device's memory if not as a whole.
#pragma once

#include "core/session.hpp"
#include "exec/requirement.hpp"
#include "pipeline/resolve.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine {

/// 9 tenths of the device, what the engine may take of it, or the pipeline's memory_limit, whichever is least.
Budget budget_of(const Pipeline&, const Engine&);

/// Inputs that are never in memory as a whole: slices at a time, 0 for those that are.
struct Slabs {
    std::vector<std::int64_t> by_input, by_step;
    std::uint64_t workspace = 0;   ///< bytes for the workspace of a step in slabs
    std::uint64_t memory = 0;      ///< bytes for all that is on the device, where the job or the engine sets a limit
};
/// Bytes of all arrays together, of slabs two at a time.
std::uint64_t array_bytes(const Resolved&, const Slabs&);

/// What a step is asked to do, an input in slabs included.
Problem problem_of(const Resolved&, const Slabs&, std::size_t step);
/// An item of a series is on the device as a whole, whatever its steps could do with parts of it: throws ConfigError for an input
/// that is to come in slabs, UnsupportedError unless all arrays fit together.
void check_item(const Resolved&, const Engine&);
/// Throws UnsupportedError if what is allocated by now is more than the memory_limit.
void check_limit(const PipelineLimits&, std::uint64_t allocated);

/// How a pipeline goes through the memory of a device.
struct MemoryPlan {
    Budget budget;
    Slabs slabs;
    std::vector<Choice> choices;                ///< by step
    bool spills = false;                        ///< arrays wait in host memory, and each step has the device to itself
    std::vector<std::optional<Tiling>> tiles;   ///< by step, where it spills; none: as a whole, or slab by slab
    std::uint64_t arrays = 0;                   ///< bytes of arrays at any one time, at most, were it as a whole
    std::uint64_t bytes = 0;   ///< on the device at any one time, at most; without workspace where there is room in plenty
};
/// As a whole where that fits; else step by step, and steps in slabs or tiles. Where memory may be short, plans are made to know
/// what they need. Throws UnsupportedError with the numbers where a step cannot be cut so that it fits.
MemoryPlan plan_memory(const Resolved&, Session&);
/// Of an item of a series, as Resident has it in overlapped mode. Throws what check_item() throws.
MemoryPlan plan_item(const Resolved&, Session&);
/// A step as it was asked for, without its inputs.
Call call_of(const Pipeline&, std::size_t step);
/// A step as it goes through memory so; with an empty MemoryPlan as a whole, and the session chooses the variant. The MemoryPlan
/// must stay.
Call call_of(const Pipeline&, const MemoryPlan&, std::size_t step);

}  // namespace parallax::engine
