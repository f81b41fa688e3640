#include "algorithms/diffusion_lb/device.hpp"
#include "core/integers.hpp"

#include <algorithm>
#include <cstring>

namespace parallax::engine::diffusion_lb {
namespace {

constexpr std::int64_t enough_pixels = std::int64_t{1} << 24;   // fill any device


}  // namespace

Layout::Layout(const Planes& p, std::int64_t margin_floats)
    : planes(p), margin(margin_floats), pitch(divided_up(p.width + 2 * margin, 32) * 32) {
    batch = std::clamp<std::int64_t>(enough_pixels / p.pixels(), 1, std::min(p.count(), most_groups));
}

Chunks::Chunks(Rows written, std::int64_t rows_of_each, std::int64_t again_after)
    : count(again_after > 0 ? 2 : static_cast<std::size_t>(divided_up(written.count(), rows_of_each))),
      first_row(static_cast<std::int32_t>(written.from)),
      end_row(static_cast<std::int32_t>(written.to + again_after)),
      apart(static_cast<std::int32_t>(again_after > 0 ? again_after : rows_of_each)),
      rows(static_cast<std::int32_t>(again_after > 0 ? written.count() : rows_of_each)) {}

host::NDRange Layout::pixels(std::int64_t count, Rows rows) const noexcept {
    return {static_cast<std::size_t>(divided_up(planes.width, 64)), static_cast<std::size_t>(std::min(rows.count(), most_groups)),
            static_cast<std::size_t>(count)};
}

Rows Layout::wider(Rows rows, std::int64_t by) const noexcept {
    return {std::max<std::int64_t>(rows.from - by, 0), std::min(rows.to + by, planes.height)};
}

float coupling_of(const LbParameters& p) { return static_cast<float>(coupling(p)); }
float inverse_k2(const LbParameters& p) { return static_cast<float>(std::min(1 / (p.threshold * p.threshold), 3e38)); }
std::int64_t radius_of(const LbParameters& p) { return static_cast<std::int64_t>(gaussian(p.sigma).size()) - 1; }

std::array<std::array<float, 4>, 2> gaussian_arguments(const LbParameters& p) {
    std::array<std::array<float, 4>, 2> out{};
    const std::vector<double> weights = gaussian(p.sigma);
    for (std::size_t k = 0; k < std::min<std::size_t>(weights.size(), 8); ++k) out[k / 4][k % 4] = static_cast<float>(weights[k]);
    return out;
}

Conversion::Conversion(PlanBuilder& builder, const Layout& layout) : layout_(layout) {
    host::Defines d;
    const ElementType type = layout.planes.type;
    d.add("LEVELS", type == ElementType::u8 ? 255 : type == ElementType::u16 ? 65535 : 0);
    const host::ProgramSpec spec{"diffusion_lb/convert.cl", d};
    begin_ = builder.kernel(spec, "begin");
    end_ = builder.kernel(spec, "end");
    states_ = builder.scratch(static_cast<std::size_t>(layout.planes.count()) * sizeof(std::int32_t));
}

void Conversion::begin(Execution& x, const host::Buffer& image, const host::Buffer& a, std::int64_t first, std::int64_t count) {
    x.launch("begin", *begin_, layout_.pixels(count), pixel_group,
             {image, a, states(x), layout_.width(), layout_.height(), layout_.pitch32(),
              static_cast<std::int32_t>(layout_.margin), layout_.planes.channels, static_cast<std::uint64_t>(first)});
}

void Conversion::end(Execution& x, const host::Buffer& a, const host::Buffer& b, const host::Buffer& image, std::int64_t first,
                     std::int64_t count, int iterations) {
    x.launch("end", *end_, layout_.pixels(count), pixel_group,
             {a, b, states(x), image, layout_.width(), layout_.height(), layout_.pitch32(),
              static_cast<std::int32_t>(layout_.margin), layout_.planes.channels, static_cast<std::uint64_t>(first), iterations});
}

void Conversion::record(Execution& x, int iterations) {
    const std::size_t bytes = static_cast<std::size_t>(layout_.planes.count()) * sizeof(std::int32_t);
    x.record("iterations", states(x), bytes, [iterations](std::span<const std::byte> states) {
        Json taken = Json::array();
        for (std::size_t i = 0; i < states.size(); i += sizeof(std::int32_t)) {
            std::int32_t state = 0;
            std::memcpy(&state, states.data() + i, sizeof state);
            taken.push_back(state != 0 ? state : iterations);
        }
        return taken;
    });
}

EdgePasses::EdgePasses(PlanBuilder& builder, const Layout& layout, const LbParameters& p)
    : layout_(layout), parameters_(p), radius_(static_cast<std::int32_t>(radius_of(p))) {
    host::Defines d;
    d.add("EDGE", static_cast<std::int64_t>(p.edge_function));
    const host::ProgramSpec spec{"diffusion_lb/smooth.cl", d};
    smooth_ = builder.kernel(spec, "smooth");
    edges_ = builder.kernel(spec, "edges");
    const std::vector<double> weights = gaussian(p.sigma);
    gaussian_ = builder.constant(std::vector<float>(weights.begin(), weights.end()));
    rows_ = builder.scratch(layout.batch_floats() * sizeof(float));
    smoothed_ = builder.scratch(layout.batch_floats() * sizeof(float));
}

const host::Buffer& EdgePasses::smooth(Execution& x, const host::Buffer& intensity, std::int64_t count, Rows range) {
    const host::Buffer &rows = x.buffer(rows_), &smoothed = x.buffer(smoothed_);
    const std::int32_t yes = 1, no = 0;
    const auto pass = [&](const char* stage, const host::Buffer& from, const host::Buffer& to, std::int32_t along_x,
                          std::int32_t along_y, Rows r) {
        x.launch(stage, *smooth_, layout_.pixels(count, r), pixel_group,
                 {from, to, gaussian_, radius_, along_x, along_y, layout_.width(), layout_.height(), layout_.pitch32(),
                  static_cast<std::int32_t>(r.from), static_cast<std::int32_t>(r.to)});
    };
    pass("smooth rows", intensity, rows, yes, no, layout_.wider(range, radius_));
    pass("smooth columns", rows, smoothed, no, yes, range);
    return smoothed;
}

void EdgePasses::enqueue(Execution& x, const host::Buffer& intensity, const host::Buffer& keep, std::int64_t count, Rows rows) {
    const host::Buffer& smoothed = smooth(x, intensity, count, layout_.wider(rows, 1));
    x.launch("edges", *edges_, layout_.pixels(count, rows), pixel_group,
             {smoothed, keep, coupling_of(parameters_), inverse_k2(parameters_), layout_.width(), layout_.height(),
              layout_.pitch32(), static_cast<std::int32_t>(rows.from), static_cast<std::int32_t>(rows.to)});
}

Judge::Judge(PlanBuilder& builder, const Layout& layout, const LbParameters& p, std::int64_t parts)
    : bound2_(static_cast<float>(p.stop_below * p.stop_below)), parts_(parts) {
    kernel_ = builder.kernel({"diffusion_lb/judge.cl", {}}, "judge");
    sums_ = builder.scratch(static_cast<std::size_t>(parts * layout.batch) * 2 * sizeof(float));
}

const host::Buffer& Judge::sums(Execution& x) const { return x.buffer(sums_); }

void Judge::enqueue(Execution& x, const host::Buffer& states, std::int64_t first, std::int64_t count, int step) {
    x.launch("judge", *kernel_, {static_cast<std::size_t>(count), 1, 1}, {64, 1, 1},
             {x.buffer(sums_), states, static_cast<std::int32_t>(parts_), bound2_, step, static_cast<std::uint64_t>(first)});
}

}  // namespace parallax::engine::diffusion_lb
