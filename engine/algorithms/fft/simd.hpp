// Transforms for CPUs through OpenCL: vectors of 16 floats, a line a lane. These are the parts; libraries.hpp has the
// Transform made of them, hologram/fused_simd.hpp a pipeline. Kernels: kernels_cl/fft/lanes*.
#pragma once

#include "core/simd.hpp"
#include "core/plan.hpp"

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::engine::fft::simd {

/// Factors of n, each at most 17 and at most six of them, in the order of the passes; the cheapest that there are.
/// {1} for 1; empty where there are none.
std::vector<int> radices(std::int64_t n);
/// The smallest length >= n that radices() can do and that suits long rows (a multiple of 16).
std::int64_t convolution_length(std::int64_t n);

/// The tables of simd_core.clh for one length.
std::vector<std::complex<float>> twiddles(const std::vector<int>& radices);
std::vector<std::int32_t> order(const std::vector<int>& radices);   ///< group of the last pass -> its first result
std::vector<std::int32_t> places(const std::vector<int>& radices);  ///< result -> its place in the work area
/// SIMD_LENGTH, SIMD_PASSES, SIMD_R0 ...
void define_length(host::Defines&, const std::vector<int>& radices);
/// "8 8 4 9"
std::string describe(const std::vector<int>& radices);

/// Where lines come from and go to: the numbers of the kernels' SIMD_IN and SIMD_OUT.
enum class Layout { complex = 0, real = 1, half = 2, panels = 3, halves = 4, columns = 5, folded = 6, modulus = 7 };

/// Longest columns, and rows that have no panels: a group's scratch is 256 bytes for each element of its lines.
inline constexpr std::int64_t line_limit = std::int64_t{1} << 18;

/// Floats of the panels of `planes` planes of width x height complex numbers: [planes][width / 16 up][height | 1][2][16].
std::int64_t panel_floats(std::int64_t width, std::int64_t height, std::int64_t planes);

/// Work-groups for `blocks` blocks of work: a few for each core, so that one that is late does not hold up the others.
std::size_t group_count(const host::DeviceInfo&, std::int64_t blocks);
/// Arrays above this many bytes are written past the cache.
inline constexpr std::int64_t streaming_bytes = std::int64_t{8} << 20;

/// One kernel over all lines of an array. Making it also launches it with nothing to do: drivers compile at first launch.
class Pass {
public:
    virtual ~Pass() = default;
    /// In place only where both layouts are `complex` or both `columns`. An inverse is divided by the length.
    virtual void enqueue(Execution&, std::string_view stage, const host::Buffer& in, const host::Buffer& out, bool inverse) = 0;
    virtual std::string describe() const = 0;
};

/// `rows` rows of `width`, `height` of them to a plane where a layout is panels. Every layout but columns; an inverse is
/// divided by `width`, from `folded` by width * height, for the columns come undivided.
/// Widths of 256 and more that are multiples of 16 go a row at a time, others 16 at a time: complex, real and half only.
std::unique_ptr<Pass> make_rows(PlanBuilder&, std::int64_t width, std::int64_t rows, std::int64_t height, Layout in, Layout out);
/// Whether rows of this width can go to and come from panels.
bool rows_have_panels(std::int64_t width);

/// Rows with panels, and what only a pipeline wants of them.
struct LongRowsSpec {
    std::int64_t width = 0, height = 0;          ///< of a plane, transformed size
    std::int64_t rows = 0;                       ///< to do: of all planes, or only the first ones of one
    Layout in = Layout::complex, out = Layout::complex;
    std::int64_t kept_width = 0;                 ///< columns of a `complex` or `modulus` output; 0: all
    std::string type = "float";                  ///< of a `real` input: uchar, ushort or float
};
class LongRows final : public Pass {
public:
    LongRows(PlanBuilder&, const LongRowsSpec&);
    void enqueue(Execution&, std::string_view stage, const host::Buffer& in, const host::Buffer& out, bool inverse) override;
    /// `first`: where the output begins, in floats.
    void enqueue_at(Execution&, std::string_view stage, const host::Buffer& in, const host::Buffer& out, bool inverse,
                    std::int64_t first);
    std::string describe() const override;

private:
    std::int64_t divisor_;
    std::int32_t rows_, height_;
    std::vector<int> radices_;
    std::unique_ptr<host::Kernel> kernel_;
    host::Buffer twiddles_, order_, places_, across_;
    std::size_t groups_ = 1;
    Scratch scratch_;
};

/// Columns of `planes` planes of width x height. Layouts columns and panels.
std::unique_ptr<Pass> make_columns(PlanBuilder&, std::int64_t width, std::int64_t height, std::int64_t planes, Layout in,
                                   Layout out);

}  // namespace parallax::engine::fft::simd
