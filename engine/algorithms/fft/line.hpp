// How one line of n points is shared out: radices, work-items, lines of a work-group, local memory. This is the host
// side of kernels_cl/fft/stockham.clh, for every kernel that includes stockham_core.clh.
//
//   const Line line = plan_line(2304, LineLayout::columns, line_limits(builder.device()), width);
//   host::ProgramSpec spec{"hologram/fused_columns.cl", {}};
//   add_line_defines(spec.defines, line);
//   host::Buffer forward = builder.constant(line_table(line));                          // FFT_REVERSED 0
//   host::Buffer backward = builder.constant(line_table(line, Order::backward));        // FFT_REVERSED 1
//   ... launch with ceil(width / line.lines) groups of line.group() work-items
#pragma once

#include "algorithms/fft/rader.hpp"
#include "parallax/host/device.hpp"
#include "parallax/host/program.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::fft {

/// rows: the points of a line are neighbours in memory; columns: the lines are; filter: columns that are transformed there
/// and back while a second set of points rests in registers, at most 4 lines a group.
enum class LineLayout { rows, columns, filter };

/// What one work-item holds together, so that who needs both needs no way through local memory. opposites: points k and n - k of
/// the spectrum; both: also points i and n - 1 - i of the line, which are neighbours where it goes on as its mirror image.
enum class Pairs { none, opposites, both };

struct LineLimits {
    int group = 1024;                    ///< work-items of a work-group
    std::size_t local_bytes = 32768;
    int registers = 34;                  ///< points a work-item should not pass (it may where `group` is small)
};

/// What the device allows: at most 1024 work-items and 48 KiB.
LineLimits line_limits(const host::DeviceInfo&);

struct Line {
    int n = 1;
    std::vector<int> radices;   ///< in the order of the stages, each 1 to 17, 19, 23, 29 or 31, the first also rader.prime
    Rader rader;
    int items = 1;                       ///< work-items of a line
    int registers = 1;                   ///< points a work-item holds
    int lines = 1;                       ///< lines of a work-group
    bool split = true;                   ///< real and imaginary parts exchanged one after the other
    int shares = 1;                      ///< 2: of half of the lines, then of the others
    int padded = 1;                      ///< floats of a line in local memory at most, with gaps against bank conflicts
    bool interleaved = false;            ///< its lines lie point by point beside each other
    Pairs pairs = Pairs::none;           ///< as it came out: both only where n / radices.front() is even

    int group() const noexcept { return items * lines; }
    std::size_t local_bytes() const noexcept;
    /// "16 16 12", "257 (by 256: 16 16) 8"
    std::string describe() const;
};

/// Longest line of one work-group.
constexpr int longest_line = 8192;

/// Empty if n has two prime factors above 31, is such a prime where spectra are filtered or held by pairs, or a line of n points
/// does not fit the limits. `lines_wanted`: how many lines there are, so that a
/// work-group is not made for more.
std::optional<Line> plan_line(int n, LineLayout, const LineLimits&, std::int64_t lines_wanted,
                              Pairs = Pairs::none);
/// That one, and shapes to take instead where a compiler finds too few registers for it. Each takes milliseconds to find: `most`
/// says how many are wanted.
std::vector<Line> plan_lines(int n, LineLayout, const LineLimits&, std::int64_t lines_wanted, Pairs = Pairs::none,
                             std::size_t most = 8);

void add_line_defines(host::Defines&, const Line&);

/// In which order a transform takes the radices: FFT_REVERSED 0 and 1.
enum class Order { forward, backward };
/// What the kernel reads: twiddle factors of all stages, and before them what the stage of a large prime needs.
std::vector<std::complex<float>> line_table(const Line&, Order = Order::forward);

}  // namespace parallax::engine::fft
