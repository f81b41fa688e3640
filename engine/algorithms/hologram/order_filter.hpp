// Isolates the order of an off-axis hologram on the device (hologram/off_axis.cl): finds its carrier where it is not stated,
// moves it to frequency zero, pads, and keeps the disc about it.
#pragma once

#include <memory>
#include <optional>

#include "algorithms/fft/transform.hpp"
#include "algorithms/hologram/carrier.hpp"
#include "algorithms/hologram/steps.hpp"

namespace parallax::engine::hologram {

/// Places in what the search finds, FOUND_... of hologram/off_axis.cl: a place in the spectrum in hundredths of a pixel and what
/// is left over in pixels, the radius, and the powers of the two strongest peaks.
struct Found {
    enum Place : std::size_t { x, y, rest_x, rest_y, radius, first, second, count };
};

/// Finds the carrier in every frame, and leaves it on the device.
class CarrierSearch {
public:
    CarrierSearch(PlanBuilder&, const OffAxis&, const Geometry&, fft::Library, int group);
    /// `field`: memory for a complex number a pixel. `mean` of h.
    void enqueue(Execution&, const host::Buffer& h, const host::Buffer& mean, const host::Buffer& field);
    /// Warnings, or a refusal.
    void judge(Execution&);
    void record(Execution&);

    const host::Buffer& found() const noexcept { return found_; }
    const host::Buffer& turns() const noexcept { return turns_; }

private:
    OffAxis order_;
    std::int64_t width_, height_;
    int group_;
    std::unique_ptr<fft::Transform> transform_;
    KernelPtr window_, partial_, final_, rows_kernel_, columns_kernel_, pick_;
    host::Buffer power_, index_, powers_, found_, turns_;
    Scratch image_, rows_;
};

class OrderFilter {
public:
    OrderFilter(PlanBuilder&, const HologramParameters&, const Geometry&, int group);
    /// h with its mean -> `spectrum` (padded) of the order, by `transform` of the padded size.
    void enqueue(Execution&, const host::Buffer& h, const host::Buffer& mean, fft::Transform& transform,
                 const host::Buffer& spectrum);
    /// The first part of it: the order moved to frequency 0, not yet isolated, of the hologram's own size.
    const host::Buffer& demodulate(Execution&, const host::Buffer& h, const host::Buffer& mean);
    /// What is known of the order (hologram/found.clh).
    const host::Buffer& found() const noexcept { return found_; }
    /// What the search has to say, and the record `carrier` if it is wanted.
    void report(Execution&, bool wants_carrier);

private:
    Geometry geometry_;
    int group_;
    Carrier stated_;
    std::optional<CarrierSearch> search_;
    KernelPtr demodulate_, mean_kernel_, frame_, isolate_;
    host::Buffer sums_, mean_, found_, turns_;
    Scratch field_;
};

}  // namespace parallax::engine::hologram
