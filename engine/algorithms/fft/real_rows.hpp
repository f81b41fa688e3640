// Real rows <-> half spectra, two rows a complex line. The parts that `radix` is made of, beside axis.hpp.
#pragma once

#include "algorithms/fft/transform.hpp"
#include "core/plan.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace parallax::engine::fft {

class RealRows {
public:
    virtual ~RealRows() = default;
    /// r2c: [rows][n] f32 -> [rows][n / 2 + 1] float2; c2r the other way with factor 1/n. Not in place.
    virtual void enqueue(Execution&, std::string_view stage, const host::Buffer& in, const host::Buffer& out) = 0;
    virtual std::string describe() const = 0;
};

/// `kind` r2c or c2r.
std::unique_ptr<RealRows> make_real_rows(PlanBuilder&, std::int64_t n, std::int64_t rows, Kind kind);

}  // namespace parallax::engine::fft
