// What a device reaches at its best, measured in the session in which everything else is measured.
#pragma once

#include "parallax/host/context.hpp"
#include "parallax/host/json.hpp"

namespace parallax::engine::compare {

/// Bytes a second that a copy reads and writes, the better of the driver's copy and a kernel's: the median of ten.
double copy_bandwidth(host::Context&, host::Queue&);

struct Rates {
    double copy = 0;          ///< bytes a second, read and written
    double upload = 0;        ///< bytes a second, from pinned memory
    double download = 0;
    double peak_f32 = 0;      ///< operations a second, a fused multiply-add being two
    double launch = 0;        ///< seconds of an empty launch from the call to its end
    Json to_json() const;     ///< copy_gbs, upload_gbs, download_gbs, peak_gflops, launch_us
};
/// `quick`: smaller arrays and fewer rounds.
Rates measure_rates(host::Context&, host::Queue&, bool quick);

}  // namespace parallax::engine::compare
