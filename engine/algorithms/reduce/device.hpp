// What the variants that run kernels have in common: they leave accumulators on the device, which become the records.
#pragma once

#include "algorithms/reduce/parameters.hpp"
#include "core/plan.hpp"

namespace parallax::engine::reduce {

class DevicePlan : public Plan {
public:
    explicit DevicePlan(const Problem&);
    void enqueue(Execution&, const Bindings&) final;

protected:
    /// KIND, ELEMENT, WORD ... of kernels_cl/reduce/accumulator.clh; simd: LANE for a vector's word.
    host::Defines defines(bool simd = false) const;
    std::int64_t element_bytes() const { return static_cast<std::int64_t>(bytes_of(type_)); }
    std::size_t bytes(std::int64_t accumulators) const {
        return static_cast<std::size_t>(accumulators) * accumulator_bytes(type_, kind_);
    }
    std::int64_t count() const { return count_; }

    struct Left { const host::Buffer* buffer = nullptr; std::int64_t accumulators = 0; };
    /// Reduces a non-empty array to a few accumulators, which the host joins in order.
    virtual Left reduce(Execution&, const host::Buffer& array) = 0;

private:
    ReduceParameters parameters_;
    ElementType type_;
    std::int64_t count_;
    Kind kind_;
    bool wants_value_, wants_statistics_;
};

/// Yes, or that the array's elements need it and the device lacks it.
Support has_double_precision(const Problem&, host::Context&);

}  // namespace parallax::engine::reduce
