// A Fourier transform as a building block of other plans. The forward transform has no factor, the inverse 1/N
// (N the product of the transformed lengths).
#pragma once

#include "core/plan.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace parallax::engine::fft {

enum class Direction { forward, inverse };
/// r2c: a row of w reals -> w/2 + 1 complex numbers; dct: real cosine transforms, type 2 forward, type 3 / 2N back.
enum class Kind { c2c, r2c, c2r, dct };
enum class Library { automatic, radix, vkfft, clfft, cufft };    ///< automatic: the fastest of our own that can

/// Dense arrays [batch][height][width]; height 1: rows only are transformed. Complex numbers are float2.
struct TransformSpec {
    std::int64_t width = 1;
    std::int64_t height = 1;
    std::int64_t batch = 1;
    Kind kind = Kind::c2c;
    bool single_row = false;   ///< dct of height 1: columns of one number are transformed, too, which doubles it
    bool has_columns() const noexcept { return height > 1 || single_row; }
    bool operator==(const TransformSpec&) const = default;
};

/// One device transform; belongs to the plan that made it. c2c and dct can run both ways and in place.
class Transform {
public:
    virtual ~Transform() = default;
    /// Must not build or allocate. `in` and `out` may be the same buffer for c2c and dct.
    virtual void enqueue(Execution&, const host::Buffer& in, const host::Buffer& out, Direction) = 0;
    /// "radix (16 12 17 x 16 9 17)": for the report.
    virtual std::string describe() const = 0;
};

/// Empty if `library` can do this on that device, else why not. `automatic` always can on an OpenCL or CUDA device.
std::string why_not(Library, const TransformSpec&, host::Context&);
/// Throws UnsupportedError where why_not() gives a reason.
std::unique_ptr<Transform> make_transform(PlanBuilder&, const TransformSpec&, Library = Library::automatic);

/// Smallest n' >= n whose prime factors are all at most 7: sizes that every library likes.
std::int64_t good_size(std::int64_t n);

}  // namespace parallax::engine::fft
