// Bluestein's convolution where it is longer than a work-group can hold, in three passes over memory: the chirps, the filter and
// both ends of the transforms go with them. Per element of n points, convolved by m, 2 n + 4 m numbers are moved; with whole
// transforms, chirps and filters one after the other it is 2 n + 12 m.
#include "algorithms/fft/chirp.hpp"
#include "algorithms/fft/line.hpp"
#include "algorithms/fft/line_kernel.hpp"
#include "algorithms/fft/radices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <limits>

namespace parallax::engine::fft {
namespace {

constexpr int longest_pass = 2048;   // up to here a work-group holds lines enough to read whole sectors of memory

// Of all stages, a point; infinite where n has other factors than good_size() gives.
double line_cost(int n) {
    double cost = std::numeric_limits<double>::infinity();
    if (good_size(n) != n) return cost;
    each_product(n, cost, [&](const std::vector<int>&, double whole) { cost = whole; });
    return cost;
}

class BluesteinPasses final : public Axis1D {
public:
    BluesteinPasses(PlanBuilder& builder, const AxisShape& shape, ConvolutionPasses lengths)
        : n_(shape.n), ends_(lengths.ends), middle_(lengths.middle), rows_(shape.unit == 1),
          most_lines_(slab_lines(builder.device(), shape, lengths.points(), passes_bytes)) {
        const std::int64_t m = lengths.points(), width = rows_ ? 1 : most_lines_;
        const auto line = [&](const char* file, const char* name, int length, std::int64_t others) {
            return build_line_kernel(builder, {file, column_defines(others * width)}, name, length, LineLayout::columns,
                                     others * width);
        };
        first_ = line("fft/bluestein_ends.cl", "bluestein_first", ends_, middle_);
        last_ = line("fft/bluestein_ends.cl", "bluestein_last", ends_, middle_);
        filter_kernel_ = line("fft/bluestein_middle.cl", "bluestein_middle", middle_, ends_);
        first_twiddles_ = builder.constant(line_table(first_.line));
        last_twiddles_ = builder.constant(line_table(last_.line));
        forward_ = builder.constant(line_table(filter_kernel_.line));
        backward_ = builder.constant(line_table(filter_kernel_.line, Order::backward));
        const auto values = chirp(n_);
        chirp_ = upload(builder, values);
        filter_ = upload(builder, chirp_spectrum(values, m, 1.0 / static_cast<double>(m)));
        std::vector<Complex> turns;   // for each point of the middle lines those of all frequencies of the first pass
        for (std::int64_t b = 0; b < middle_; ++b)
            for (std::int64_t p = 0; p < ends_; ++p)
                turns.push_back(unit_root(static_cast<std::uint64_t>(b * p), static_cast<std::uint64_t>(m)));
        turns_ = upload(builder, turns);
        work_ = builder.scratch(static_cast<std::size_t>(most_lines_ * m) * sizeof(std::complex<float>));

        const std::uint64_t none = 0, one = 1;
        const std::uint32_t point = 1;
        warm_up(builder, *first_.kernel, first_.local(),
                {chirp_, filter_, forward_, chirp_, none, none, none, none, one, point, point});
        warm_up(builder, *filter_kernel_.kernel, filter_kernel_.local(),
                {filter_, forward_, backward_, filter_, turns_, none, one, point});
        warm_up(builder, *last_.kernel, last_.local(),
                {filter_, chirp_, forward_, chirp_, none, none, none, none, one, point, point, std::int32_t{0}, 1.0f});
    }

    void enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out,
                 std::int64_t images, std::int64_t unit, Direction direction) override {
        const auto scope = execution.scope(stage);
        const bool inverse = direction == Direction::inverse;
        const float scale = inverse ? static_cast<float>(1.0 / static_cast<double>(n_)) : 1.0f;
        const host::Buffer& work = execution.buffer(work_);
        const auto n = static_cast<std::uint32_t>(n_), ends = static_cast<std::uint32_t>(ends_),
                   middle = static_cast<std::uint32_t>(middle_);
        each_slab(n_, rows_, images, unit, most_lines_, [&](const Slab& slab) {
            const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
            const auto groups = [&](const LineKernel& kernel, std::int64_t others) {
                host::NDRange range = kernel.groups(others * slab.width);
                range.x *= static_cast<std::size_t>(slab.images);
                return range;
            };
            execution.launch("chirp and pass 1", *first_.kernel, groups(first_, middle_), first_.local(),
                             {in, work, first_twiddles_, chirp_, u(slab.origin), u(slab.image_stride), u(slab.point_stride),
                              u(slab.images), u(slab.width), n, middle});
            execution.launch("pass 2 and filter", *filter_kernel_.kernel, groups(filter_kernel_, ends_), filter_kernel_.local(),
                             {work, forward_, backward_, filter_, turns_, u(slab.images), u(slab.width), ends});
            execution.launch("pass 3 and chirp", *last_.kernel, groups(last_, middle_), last_.local(),
                             {work, out, last_twiddles_, chirp_, u(slab.origin), u(slab.image_stride), u(slab.point_stride),
                              u(slab.images), u(slab.width), n, middle, static_cast<std::int32_t>(inverse), scale});
        });
    }

    std::string describe() const override {
        return fmt::format("Bluestein {} (passes of {}, {})", static_cast<std::int64_t>(ends_) * middle_, ends_, middle_);
    }

private:
    std::int64_t n_;
    int ends_, middle_;
    bool rows_;
    std::int64_t most_lines_;
    LineKernel first_, filter_kernel_, last_;
    host::Buffer first_twiddles_, last_twiddles_, forward_, backward_, chirp_, filter_, turns_;
    Scratch work_;
};

}   // namespace

std::optional<ConvolutionPasses> convolution_passes(std::int64_t n) {
    constexpr double memory = 60;   // what a point costs besides, in each pass
    std::optional<ConvolutionPasses> best;
    double least = std::numeric_limits<double>::infinity();
    // Multiples of 8 and 4, so that neighbouring lines fill sectors of memory.
    for (int ends = 32; ends <= longest_pass; ends += 8) {
        const double at_ends = line_cost(ends);
        if (at_ends == std::numeric_limits<double>::infinity()) continue;
        const std::int64_t middle = 4 * good_size((2 * n - 1 + 4 * ends - 1) / (4 * ends));
        if (middle > longest_pass || middle < 32) continue;
        const ConvolutionPasses passes{ends, static_cast<int>(middle)};
        const double cost = static_cast<double>(passes.points()) * 2 * (at_ends + line_cost(passes.middle) + memory);
        if (cost < least) best = passes, least = cost;
    }
    return best;
}

std::unique_ptr<Axis1D> make_bluestein_passes(PlanBuilder& builder, const AxisShape& shape) {
    return std::make_unique<BluesteinPasses>(builder, shape, convolution_passes(shape.n).value());
}

}   // namespace parallax::engine::fft
