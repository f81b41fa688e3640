// What a device reaches at its best, measured in the session in which everything else is measured.
#pragma once

#include "parallax/host/context.hpp"
#include "parallax/host/json.hpp"

#include <cstddef>
#include <utility>
#include <vector>

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

/// What else bounds a kernel. null where the device has no such thing, or cannot tell.
struct Roofs {
    double peak_f64 = 0, peak_i32 = 0;                  ///< operations a second, a multiply and an add being two; 0: none
    std::vector<std::pair<std::size_t, double>> read;   ///< bytes of an array that is read again and again -> bytes a second
    double local = 0;                                   ///< bytes a second that are read of local memory; 0: it has none
    double cache_latency = 0, memory_latency = 0;       ///< seconds of a read that is waited for, of 32 KiB and of 256 MiB
    Json to_json() const;   ///< peak_f64_gflops, peak_i32_gops, read_gbs {bytes: }, local_gbs, latencies in ns
};
Roofs measure_roofs(host::Context&, host::Queue&, bool quick);

}  // namespace parallax::engine::compare
