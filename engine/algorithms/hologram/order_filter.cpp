#include "algorithms/hologram/order_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/integers.hpp"
#include "core/judge.hpp"
#include "core/long_loops.hpp"

namespace parallax::engine::hologram {

namespace {

// Of hologram/off_axis.cl.
constexpr std::size_t side = 21;


Carrier carrier_from(std::span<const std::byte> bytes) {
    float f[Found::count];
    std::memcpy(f, bytes.data(), sizeof f);
    Carrier c{f[Found::x] / 100.0 + f[Found::rest_x], f[Found::y] / 100.0 + f[Found::rest_y], f[Found::radius], 0};
    if (!(f[Found::first] > 0)) return {};
    c.confidence = std::min(
        std::sqrt(static_cast<double>(f[Found::first]) / std::max<double>(f[Found::second], f[Found::first] * 1e-24)), 1e6);
    return c;
}

/// What one hundredth of a pixel of the spectrum turns from pixel to pixel along n of them.
std::uint64_t hundredth_turns(std::int64_t n) { return fixed_turns(0.01L / static_cast<long double>(n)); }

}  // namespace

CarrierSearch::CarrierSearch(PlanBuilder& builder, const OffAxis& order, const Geometry& geometry, fft::Library library,
                             int group)
    : order_(order),
      width_(geometry.width),
      height_(geometry.height),
      group_(group),
      transform_(fft::make_transform(builder, {width_, height_, 1, fft::Kind::c2c}, library)) {
    const host::ProgramSpec spec{"hologram/off_axis.cl", reduce_defines()};
    const auto items = static_cast<std::size_t>(group);
    // A line is added up in runs of 64 by one work-item.
    require_rounds(builder.context(), std::max(width_, height_) / 64 * 66 + 66);
    window_ = builder.kernel(spec, "window", items);
    partial_ = builder.kernel(spec, "carrier_partial", reduce_group);
    final_ = builder.kernel(spec, "carrier_final", reduce_group);
    rows_kernel_ = builder.kernel(spec, "refine_rows", items);
    columns_kernel_ = builder.kernel(spec, "refine_columns", items);
    pick_ = builder.kernel(spec, "refine_pick");
    power_ = builder.state(reduce_groups * sizeof(float));
    index_ = builder.state(reduce_groups * sizeof(std::uint32_t));
    powers_ = builder.state(side * side * sizeof(float));
    found_ = builder.state(Found::count * sizeof(float));
    turns_ = builder.state(2 * sizeof(std::uint64_t));
    image_ = builder.scratch(static_cast<std::size_t>(width_ * height_) * sizeof(float));
    rows_ = builder.scratch(static_cast<std::size_t>(height_) * side * 2 * sizeof(float));
}

void CarrierSearch::enqueue(Execution& x, const host::Buffer& h, const host::Buffer& mean, const host::Buffer& field) {
    const auto scope = x.scope("carrier");
    const std::uint32_t width = u32(width_), height = u32(height_);
    const PixelGrid grid(width_, height_, group_);
    const host::Buffer& image = x.buffer(image_);
    x.launch("window", *window_, grid.groups, grid.local, {h, mean, image, field, width, height});
    transform_->enqueue(x, field, field, fft::Direction::forward);

    const auto exclude = static_cast<float>(carrier_core(width_, height_));
    const std::int32_t lower = order_.side == Side::lower;
    for (const std::int32_t second : {0, 1}) {
        x.launch("search", *partial_, reduce_many, reduce_local,
                 {field, power_, index_, found_, width, height, exclude, lower, second});
        x.launch("search", *final_, reduce_one, reduce_local, {power_, index_, found_, width, height, second});
    }

    const std::uint64_t unit_x = hundredth_turns(width_), unit_y = hundredth_turns(height_);
    const PixelGrid by_row(height_ * static_cast<std::int64_t>(side), 1, group_), by_frequency(side * side, 1, group_);
    const auto wanted = static_cast<float>(order_.radius);
    for (const std::int32_t step : {10, 1}) {
        const std::int32_t last = step == 1;
        x.launch("refine", *rows_kernel_, by_row.groups, by_row.local,
                 {image, found_, x.buffer(rows_), width, height, step, unit_x});
        x.launch("refine", *columns_kernel_, by_frequency.groups, by_frequency.local,
                 {x.buffer(rows_), found_, powers_, height, step, unit_y});
        x.launch("refine", *pick_, reduce_one, reduce_one,
                 {powers_, found_, turns_, step, last, wanted, width, height, unit_x, unit_y});
    }
}

void CarrierSearch::judge(Execution& x) {
    engine::judge(x, "carrier", found_, Found::count * sizeof(float),
            [order = order_, width = width_, height = height_](std::span<const std::byte> bytes) {
                return judge_found_carrier(carrier_from(bytes), order, width, height);
            });
}

void CarrierSearch::record(Execution& x) {
    x.record("carrier", found_, Found::count * sizeof(float),
             [](std::span<const std::byte> bytes) { return carrier_record(carrier_from(bytes)); });
}

OrderFilter::OrderFilter(PlanBuilder& builder, const HologramParameters& p, const Geometry& geometry, int group)
    : geometry_(geometry), group_(group), stated_(stated_carrier(*p.off_axis)) {
    const host::ProgramSpec spec{"hologram/off_axis.cl", reduce_defines()};
    const auto items = static_cast<std::size_t>(group);
    if (p.off_axis->is_searched()) {
        search_.emplace(builder, *p.off_axis, geometry, p.fft, group);
        found_ = search_->found();
        turns_ = search_->turns();
    } else {
        std::vector<float> found(Found::count);
        found[Found::radius] = static_cast<float>(stated_.radius);
        found_ = builder.constant(found);
        turns_ = builder.constant(std::vector<std::uint64_t>{
            fixed_turns(static_cast<long double>(stated_.x) / static_cast<long double>(geometry.width)),
            fixed_turns(static_cast<long double>(stated_.y) / static_cast<long double>(geometry.height))});
    }
    demodulate_ = builder.kernel(spec, "demodulate", reduce_group);
    mean_kernel_ = builder.kernel(spec, "mean_field", reduce_group);
    isolate_ = builder.kernel(spec, "isolate", items);
    host::Defines frame = reduce_defines();
    frame.add("PADDING", static_cast<std::int64_t>(is_padded(geometry) ? padding_of(p) : Padding::none))
        .add("COMPLEX_FRAME", true)
        .add("COMPLEX_INPUT", true);
    frame_ = builder.kernel({"hologram/prepare.cl", frame}, "frame", items);
    sums_ = builder.state(reduce_groups * 2 * sizeof(float));
    mean_ = builder.state(2 * sizeof(float));
    field_ = builder.scratch(static_cast<std::size_t>(geometry.width * geometry.height) * 2 * sizeof(float));
}

const host::Buffer& OrderFilter::demodulate(Execution& x, const host::Buffer& h, const host::Buffer& mean) {
    const host::Buffer& field = x.buffer(field_);
    if (search_) search_->enqueue(x, h, mean, field);
    const auto count = static_cast<std::uint64_t>(geometry_.width * geometry_.height);
    x.launch("demodulate", *demodulate_, reduce_many, reduce_local, {h, turns_, field, sums_, u32(geometry_.width), count});
    x.launch("mean", *mean_kernel_, reduce_one, reduce_local, {sums_, mean_, count});
    return field;
}

void OrderFilter::enqueue(Execution& x, const host::Buffer& h, const host::Buffer& mean, fft::Transform& transform,
                          const host::Buffer& spectrum) {
    const host::Buffer& field = demodulate(x, h, mean);
    const PixelGrid grid(geometry_.padded_width, geometry_.padded_height, group_);
    const std::uint32_t width = u32(geometry_.width), height = u32(geometry_.height), padded_width = u32(geometry_.padded_width),
                        padded_height = u32(geometry_.padded_height);
    x.launch("frame", *frame_, grid.groups, grid.local,
             {field, mean_, spectrum, width, height, padded_width, padded_height, u32(geometry_.left), u32(geometry_.top)});
    {
        const auto scope = x.scope("forward transform");
        transform.enqueue(x, spectrum, spectrum, fft::Direction::forward);
    }
    x.launch("isolate order", *isolate_, grid.groups, grid.local,
             {spectrum, spectrum, found_, width, height, padded_width, padded_height});
}

void OrderFilter::report(Execution& x, bool wants_carrier) {
    if (search_) {
        search_->judge(x);
        if (wants_carrier) search_->record(x);
    } else if (wants_carrier) {
        x.record("carrier", [stated = stated_] { return carrier_record(stated); });
    }
}

}  // namespace parallax::engine::hologram
