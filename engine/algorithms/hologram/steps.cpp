#include "algorithms/hologram/steps.hpp"

#include "core/integers.hpp"
#include "core/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace parallax::engine::hologram {

namespace {

std::int32_t i32(std::int64_t v) { return static_cast<std::int32_t>(v); }

}  // namespace

host::Defines reduce_defines() {
    host::Defines d;
    d.add("GROUP", reduce_group).add("GROUPS", reduce_groups);
    return d;
}

const char* kernel_type(ElementType type) {
    switch (type) {
        case ElementType::boolean:
        case ElementType::u8: return "uchar";
        case ElementType::i8: return "char";
        case ElementType::u16: return "ushort";
        case ElementType::i16: return "short";
        case ElementType::u32: return "uint";
        case ElementType::i32: return "int";
        case ElementType::u64: return "ulong64";
        case ElementType::i64: return "long64";
        case ElementType::f32: return "float";
        case ElementType::f64: return "double";
        default: return nullptr;
    }
}

Support supports_inputs(const Problem& problem, host::Context& context) {
    for (const auto& [name, desc] : problem.inputs) {
        if (!desc.is_dense()) return Support::no("input " + name + " is not dense (it has an offset or a pitch)");
        if (desc.type == ElementType::f64 && !context.capabilities().fp64) {
            return Support::no("input " + name + " is f64 and the device has no double precision: convert it to f32");
        }
    }
    return Support::yes();
}

Support supports_half_spectrum(const Problem& problem) {
    const auto& p = problem.parameters.as<HologramParameters>();
    if (p.method == Method::fresnel_single_fft) return Support::no("fresnel_single_fft has no transfer function");
    if (p.off_axis) return Support::no("an isolated order is complex: its spectrum has no symmetry to use");
    if (p.fft != fft::Library::automatic) return Support::no("its transforms are its own: fft must be \"auto\"");
    return Support::yes();
}

void add_frame_types(host::Defines& defines, const Problem& problem) {
    const ElementType type = problem.inputs.at("hologram").type;
    const auto type_of = [&](const char* port) {
        const auto found = problem.inputs.find(port);
        return kernel_type(found == problem.inputs.end() ? type : found->second.type);
    };
    defines.add("HOLOGRAM_TYPE", kernel_type(type))
        .add("BACKGROUND_TYPE", type_of("background"))
        .add("DARK_TYPE", type_of("dark"))
        .add("HAS_BACKGROUND", problem.inputs.count("background") > 0)
        .add("HAS_DARK", problem.inputs.count("dark") > 0);
}

Intake::Intake(PlanBuilder& builder, const Problem& problem, const Geometry& geometry, bool complex_frame, int work_group)
    : geometry_(geometry), group_(work_group) {
    const auto& p = problem.parameters.as<HologramParameters>();
    has_background_ = problem.inputs.count("background") > 0;
    has_dark_ = problem.inputs.count("dark") > 0;
    const Padding padding = is_padded(geometry) ? padding_of(p) : Padding::none;
    needs_mean_ = padding == Padding::mean;

    host::Defines defines = reduce_defines();
    add_frame_types(defines, problem);
    defines.add("PADDING", static_cast<std::int64_t>(padding))
        .add("COMPLEX_FRAME", complex_frame);
    const host::ProgramSpec spec{"hologram/prepare.cl", defines};
    normalise_ = builder.kernel(spec, "normalise", reduce_group);
    mean_ = builder.kernel(spec, "mean", reduce_group);
    frame_ = builder.kernel(spec, "frame", static_cast<std::size_t>(group_));
    sums_ = builder.state(reduce_groups * sizeof(float));
    mean_value_ = builder.state(sizeof(float));
}

void Intake::normalise(Execution& x, const Bindings& arrays, const host::Buffer& h, bool needs_mean) {
    const host::Buffer& hologram = arrays.input("hologram");
    const host::Buffer& background = has_background_ ? arrays.input("background") : hologram;
    const host::Buffer& dark = has_dark_ ? arrays.input("dark") : hologram;
    const auto count = static_cast<std::uint64_t>(geometry_.width * geometry_.height);
    x.launch("normalise", *normalise_, reduce_many, reduce_local, {hologram, background, dark, h, sums_, count});
    if (needs_mean) x.launch("mean", *mean_, reduce_one, reduce_local, {sums_, mean_value_, count});
}

void Intake::enqueue(Execution& x, const Bindings& arrays, const host::Buffer& h, const host::Buffer& frame) {
    normalise(x, arrays, h, needs_mean_);
    const PixelGrid grid(geometry_.padded_width, geometry_.padded_height, group_);
    x.launch("frame", *frame_, grid.groups, grid.local,
             {h, mean_value_, frame, u32(geometry_.width), u32(geometry_.height), u32(geometry_.padded_width),
              u32(geometry_.padded_height), u32(geometry_.left), u32(geometry_.top)});
}

FocusSearch::FocusSearch(PlanBuilder& builder, const Autofocus& autofocus, std::size_t planes, std::size_t at_once,
                         std::int64_t width, std::int64_t height)
    : autofocus_(autofocus),
      width_(width),
      pixels_(width * height),
      planes_(planes),
      region_(autofocus.region.value_or(std::array<int, 4>{0, 0, i32(width), i32(height)})) {
    const auto spec_of = [](Metric metric) {
        host::Defines defines = reduce_defines();
        defines.add("METRIC", static_cast<std::int64_t>(metric));
        return host::ProgramSpec{"hologram/focus.cl", defines};
    };
    const host::ProgramSpec spec = spec_of(autofocus.metric);
    partial_ = builder.kernel(spec, "focus_partial", reduce_group);
    final_ = builder.kernel(spec, "focus_final", reduce_group);
    best_ = builder.kernel(spec, "focus_best");
    if (autofocus.metric == Metric::variance) {   // its mean first: Metric::dubois is the mean
        mean_partial_ = builder.kernel(spec_of(Metric::dubois), "focus_partial", reduce_group);
        mean_final_ = builder.kernel(spec_of(Metric::dubois), "focus_final", reduce_group);
    }
    sums_ = builder.state(at_once * reduce_groups * sizeof(float));
    values_ = builder.state(planes * sizeof(float));
    means_ = builder.state(planes * sizeof(float));
}

void FocusSearch::measure(Execution& x, const host::Buffer& amplitude, std::uint32_t plane, std::uint32_t count) {
    const auto sum = [&](host::Kernel& partial, host::Kernel& final, const host::Buffer& values) {
        x.launch("focus metric", partial, {reduce_groups, count, 1}, reduce_local,
                 {amplitude, sums_, means_, plane, static_cast<std::uint64_t>(pixels_), u32(width_), region_[0], region_[1],
                  region_[2], region_[3]});
        x.launch("focus metric", final, {count, 1, 1}, reduce_local, {sums_, values, plane});
    };
    if (mean_partial_) sum(*mean_partial_, *mean_final_, means_);
    sum(*partial_, *final_, values_);
}

void FocusSearch::choose(Execution& x, const PhaseTable& table) {
    const bool dubois = autofocus_.metric == Metric::dubois, amplitude = autofocus_.object == ObjectKind::amplitude;
    const std::int32_t maximum = dubois != amplitude;
    x.launch("best plane", *best_, reduce_one, reduce_one,
             {values_, table.planes(), static_cast<std::uint32_t>(planes_), maximum});
}

void FocusSearch::report(Execution& x, const FocusRecorder& recorder, bool wants_record) {
    const auto values_from = [planes = planes_](std::span<const std::byte> bytes) {
        std::vector<float> values(planes);
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return std::vector<double>(values.begin(), values.end());
    };
    const std::size_t bytes = planes_ * sizeof(float);
    judge(x, "focus", values_, bytes,
          [recorder, values_from](std::span<const std::byte> b) { return recorder.judge(values_from(b)); });
    if (wants_record)
        x.record("focus", values_, bytes,
                 [recorder, values_from](std::span<const std::byte> b) { return recorder.record(values_from(b)); });
}

Finish::Finish(PlanBuilder& builder, const Problem& problem, const Shape& shape) : shape_(shape) {
    const auto kernel = [&](bool amplitude, bool phase, bool intensity, bool field) {
        host::Defines d;
        d.add("WANT_AMPLITUDE", amplitude).add("WANT_PHASE", phase).add("WANT_INTENSITY", intensity).add("WANT_FIELD", field);
        if (shape_.folded) d.add("FOLDED", 1);
        return builder.kernel({"hologram/finish.cl", d}, "finish", static_cast<std::size_t>(shape_.group));
    };
    outputs_ = kernel(problem.wants("amplitude"), problem.wants("phase"), problem.wants("intensity"), problem.wants("field"));
    if (problem.parameters.as<HologramParameters>().autofocus) amplitude_ = kernel(true, false, false, false);
}

void Finish::enqueue(Execution& x, const host::Buffer& field, const Bindings& arrays, std::int64_t plane) {
    if (arrays.outputs.empty()) return;
    const auto output = [&](const char* port) -> const host::Buffer& {
        return arrays.has_output(port) ? arrays.output(port) : arrays.outputs.begin()->second.buffer;
    };
    const PixelGrid grid(shape_.width, shape_.height, shape_.group);
    x.launch("finish", *outputs_, grid.groups, grid.local,
             {field, output("amplitude"), output("phase"), output("intensity"), output("field"), u32(shape_.width),
              u32(shape_.height), u32(shape_.padded_width), static_cast<std::uint64_t>(plane * shape_.width * shape_.height)});
}

void Finish::amplitude_only(Execution& x, const host::Buffer& field, const host::Buffer& amplitude) {
    const PixelGrid grid(shape_.width, shape_.height, shape_.group);
    x.launch("amplitude", *amplitude_, grid.groups, grid.local,
             {field, amplitude, amplitude, amplitude, amplitude, u32(shape_.width), u32(shape_.height), u32(shape_.padded_width),
              std::uint64_t{0}});
}

}  // namespace parallax::engine::hologram
