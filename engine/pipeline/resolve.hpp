// A pipeline for inputs of certain shapes: what each step has to compute, and the shape of every array.
#pragma once

#include "pipeline/pipeline.hpp"

namespace parallax::engine {

struct ResolvedInput {
    ArrayDesc desc;                          ///< as it will be on the device
    std::string why_whole;                   ///< why it cannot come a few slices at a time; empty: it can
    std::uint64_t beside = 0;                ///< bytes of host memory that reading it takes beside the array
};

struct ResolvedStep {
    Problem problem;
    ArrayDescs shapes;                       ///< of its array outputs that are wanted
    std::vector<std::string> warnings;
};

struct Resolved {
    Pipeline pipeline;
    std::vector<ResolvedInput> inputs;       ///< in the pipeline's order, as are the steps
    std::vector<ResolvedStep> steps;

    /// Description of an array; throws std::out_of_range for a record.
    const ArrayDesc& desc(const Source&) const;
    /// Bytes of all arrays together.
    std::uint64_t array_bytes() const;
};

/// Infers all shapes. Throws ConfigError and UnsupportedError for what an algorithm cannot take.
Resolved resolve(Pipeline, std::vector<ResolvedInput>);

}  // namespace parallax::engine
