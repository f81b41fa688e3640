// Histograms on a device, for this algorithm's variants and as a step of others.
#pragma once

#include "algorithms/histogram/parameters.hpp"
#include "core/plan.hpp"

#include <memory>
#include <string>

namespace parallax::engine::histogram {

/// A way of counting, compiled for one spec.
class Histogram {
public:
    virtual ~Histogram() = default;
    /// counts: u32 [channels][bins], overwritten. mask: one byte a pixel; any buffer where the spec has no mask.
    /// edges: f32 [bins + 1] for an f32 spec without edges, because the device makes them.
    virtual void enqueue(Execution&, const host::Buffer& image, const host::Buffer& mask, const host::Buffer& counts,
                         const host::Buffer& edges = {}) = 0;
};

/// How local memory is used; 0 leaves a number to the device.
struct LocalShape {
    int work_group = 0;
    int copies = 0;             ///< histograms in local memory, a power of two
    int loads = 0;              ///< 16-byte loads in flight for each work-item
    int groups_per_unit = 0;    ///< work-groups for each compute unit
    int counter_bits = 0;       ///< 16: ranges of 22,016 slots instead of 8192, in 43 KiB
};

// Empty, or why a device or spec is refused.
std::string replicated_why_not(const HistogramSpec&, host::Context&);
std::string local_why_not(const HistogramSpec&, host::Context&);
std::string byte_counters_why_not(const HistogramSpec&, host::Context&);
std::string tagged_why_not(const HistogramSpec&, host::Context&);

/// Copies for as many lanes as fit into 32 KiB; on a CPU a work-group is one work-item and nothing is atomic.
std::unique_ptr<Histogram> make_replicated(PlanBuilder&, const HistogramSpec&, const LocalShape& = {});
/// One histogram a work-group; more slots than it holds are counted in ranges, the image being read once for each.
std::unique_ptr<Histogram> make_local_atomics(PlanBuilder&, const HistogramSpec&, const LocalShape&);
std::unique_ptr<Histogram> make_global_atomics(PlanBuilder&, const HistogramSpec&, int work_group);
/// u8, 64 bins, one channel, no mask.
std::unique_ptr<Histogram> make_byte_counters(PlanBuilder&, const HistogramSpec&, int work_group);
/// u8, 256 bins, one channel, no mask; where the lanes of a warp go together.
std::unique_ptr<Histogram> make_tagged(PlanBuilder&, const HistogramSpec&, int work_group);
/// The fastest for this device and spec.
std::unique_ptr<Histogram> make_best(PlanBuilder&, const HistogramSpec&);

// Variants, each in the file of its technique.
Variant replicated_variant();
Variant local_atomics_variant();
Variant global_atomics_variant();
Variant byte_counters_variant();
Variant tagged_variant();
Variant threaded_variant();
Variant reference_variant();

}  // namespace parallax::engine::histogram
