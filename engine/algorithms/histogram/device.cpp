// The ways of counting on a device: defines, kernel, ranges, launch.
#include "algorithms/histogram/histogram.hpp"
#include "core/long_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace parallax::engine::histogram {
namespace {

constexpr std::int64_t local_slots = 8192;   // 32 KiB of u32
constexpr std::int64_t cpu_slots = 65536;    // 256 KiB, where a processor's driver has them: its memory is all one
constexpr std::int64_t half_slots = 22016;   // 43 KiB of u16: 65,536 in three ranges, and room for what a driver adds
constexpr std::int64_t closed_slots = 2048;  // so many the last group moves sooner than a launch clears them
constexpr std::int64_t half_round = 1 << 15;   // elements that a group counts between two barriers

bool is_cpu(const host::DeviceInfo& device) { return device.type == host::DeviceType::cpu; }

/// The largest power of two that is not above `n`, for n >= 1.
std::int64_t power_of_two_below(std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}

host::Defines defines_of(const HistogramSpec& spec) {
    const bool is_float = spec.type == ElementType::f32;
    host::Defines d;
    d.add("ELEMENT", is_float ? "float" : spec.type == ElementType::u16 ? "ushort" : "uchar")
        .add("ELEMENT_BYTES", static_cast<std::int64_t>(bytes_of(spec.type)))
        .add("IS_FLOAT", is_float)
        .add("BINS", spec.bins)
        .add("CHANNELS", spec.channels)
        .add("HAS_MASK", spec.masked);
    return d;
}

/// Work-groups for `count` elements: as many as have something to do, at most `most`.
std::size_t groups_for(std::uint64_t count, std::uint64_t elements_a_group, std::uint64_t most) {
    return static_cast<std::size_t>(
        std::clamp<std::uint64_t>((count + elements_a_group - 1) / elements_a_group, 1, std::max<std::uint64_t>(most, 1)));
}

/// So many work-groups, or more where a driver would cut a work-item's loops: `rounds` for each `elements` of a group, besides
/// those that are `fixed`.
std::uint64_t enough_groups(PlanBuilder& builder, std::uint64_t groups, std::uint64_t count, std::uint64_t elements,
                            std::int64_t rounds, std::int64_t fixed = 0) {
    const auto longest = fixed + rounds * static_cast<std::int64_t>(count / elements / groups + 2);
    if (too_many_rounds(builder.context(), longest).empty()) return groups;
    const std::int64_t turns = std::max<std::int64_t>((most_rounds(builder.context()) - fixed) / rounds - 1, 1);
    return std::max(groups, count / elements / static_cast<std::uint64_t>(turns) + 1);
}

/// Slots that one range holds. On a processor a group is one work-item, and what fits into a core's second cache is local.
std::int64_t slots_at_once(const host::DeviceInfo& device, std::size_t group) {
    if (!is_cpu(device) || group != 1) return local_slots;
    const auto room = static_cast<std::int64_t>(device.local_memory / 2 / sizeof(std::uint32_t));   // and for what a driver adds
    return std::clamp(room, local_slots, cpu_slots);
}

/// Whether the last group sees what all others have added: on processors, and where a release is one of the whole device (CUDA,
/// NVIDIA's OpenCL). OpenCL 1.2 orders within a group alone, and GPUs take that at its word.
bool last_group_sees_all(host::Context& context) {
    return is_cpu(context.info()) || context.info().backend == host::Backend::cuda || context.capabilities().inline_ptx;
}

/// Equal ranges of u16 counters, two in a word.
std::int64_t even_range(std::int64_t slots) {
    const std::int64_t ranges = (slots + half_slots - 1) / half_slots, range = (slots + ranges - 1) / ranges;
    return range + range % 2;
}

/// Work-groups for each unit that count in halves: one large one, two where each counts four times as many elements as it adds up
/// slots. Small groups come in more, so that a unit has as many work-items.
int groups_of_halves(const HistogramSpec& spec, const host::DeviceInfo& device) {
    const auto group = std::min<std::int64_t>(1024, power_of_two_below(device.max_work_group));
    const auto for_two = static_cast<std::uint64_t>(8 * spec.slots()) * static_cast<std::uint64_t>(device.compute_units);
    return static_cast<int>(1024 / group * (spec.count() >= for_two ? 2 : 1));
}

class Counting : public Histogram {
protected:
    Counting(PlanBuilder& builder, const HistogramSpec& spec) : spec_(spec) {
        if (!spec.edges.empty()) edges_ = builder.constant(spec.edges);
    }
    const host::Buffer& edges_or(const host::Buffer& given, const host::Buffer& other) const {
        return edges_ ? edges_ : given ? given : other;
    }
    const host::Buffer& mask_or(const host::Buffer& mask, const host::Buffer& other) const { return spec_.masked ? mask : other; }

    HistogramSpec spec_;

private:
    host::Buffer edges_;
};

/// What counts with atomics begins at 0.
class Clearing {
public:
    explicit Clearing(PlanBuilder& builder)
        : group_(std::min<std::size_t>(256, builder.device().max_work_group)),
          kernel_(builder.kernel({"histogram/clear.cl", {}}, "histogram_clear", group_)) {}
    void enqueue(Execution& x, const host::Buffer& counts, std::int64_t slots) {
        const auto n = static_cast<std::size_t>(slots);
        x.launch("clear", *kernel_, {(n + group_ - 1) / group_, 1, 1}, {group_, 1, 1}, {counts, static_cast<std::uint32_t>(n)});
    }

private:
    std::size_t group_;
    std::unique_ptr<host::Kernel> kernel_;
};

/// histogram/local.cl: one histogram or several in local memory.
class LocalHistogram final : public Counting {
public:
    LocalHistogram(PlanBuilder& builder, const HistogramSpec& spec, const LocalShape& shape) : Counting(builder, spec) {
        const host::DeviceInfo& device = builder.device();
        // Groups of one work-item count without atomics; rusticl miscounts f32 so (Mesa 22.3).
        const int smallest = spec.type == ElementType::f32 ? 64 : 1;
        group_ = static_cast<std::size_t>(
            std::min<std::int64_t>(std::max(shape.work_group, smallest), power_of_two_below(device.max_work_group)));
        const std::int64_t fit = std::max<std::int64_t>(local_slots / spec.slots(), 1);
        const std::int64_t copies = std::min<std::int64_t>(shape.copies, power_of_two_below(fit));
        const bool halves = shape.counter_bits == 16 && spec.slots() > local_slots;
        const std::int64_t range =
            halves ? even_range(spec.slots()) : std::min(spec.slots(), slots_at_once(device, group_) / copies);
        ranges_ = static_cast<std::size_t>((spec.slots() + range - 1) / range);
        const auto a_load = static_cast<std::int64_t>(group_ * 16 / bytes_of(spec.type));
        const std::int64_t loads = halves ? std::clamp<std::int64_t>(half_round / a_load, 1, shape.loads) : shape.loads;
        const auto elements = static_cast<std::uint64_t>(a_load * loads);
        const std::int64_t fixed = range * (2 * copies + 2) / static_cast<std::int64_t>(group_);   // to clear and to add up
        groups_ = groups_for(
            spec.count(), elements,
            enough_groups(builder, std::uint64_t{device.compute_units} * static_cast<std::uint64_t>(shape.groups_per_unit),
                          spec.count(), elements, 25 * loads + 8, fixed));
        host::ProgramSpec program{"histogram/local.cl", defines_of(spec)};
        program.defines.add("GROUP", static_cast<std::int64_t>(group_))
            .add("COPIES", copies)
            .add("LOADS", loads)
            .add("RANGE", range)
            .add("HALVES", halves);
        if (spec.slots() <= closed_slots && last_group_sees_all(builder.context())) {
            program.defines.add("CLOSE", 1);
            sums_ = builder.constant(std::vector<std::uint32_t>(static_cast<std::size_t>(spec.slots()) + 1));
        } else {
            clearing_.emplace(builder);
        }
        count_ = builder.kernel(program, "histogram_local");
    }

    void enqueue(Execution& x, const host::Buffer& image, const host::Buffer& mask, const host::Buffer& counts,
                 const host::Buffer& edges) override {
        if (clearing_) clearing_->enqueue(x, counts, spec_.slots());
        x.launch("count", *count_, {groups_, ranges_, 1}, {group_, 1, 1},
                 {image, mask_or(mask, image), edges_or(edges, image), counts, clearing_ ? counts : sums_, spec_.count()});
    }

private:
    std::optional<Clearing> clearing_;
    std::unique_ptr<host::Kernel> count_;
    host::Buffer sums_;   // 0 between runs
    std::size_t group_, groups_, ranges_;
};

class GlobalHistogram final : public Counting {
public:
    GlobalHistogram(PlanBuilder& builder, const HistogramSpec& spec, int work_group)
        : Counting(builder, spec), clearing_(builder),
          group_(std::min<std::size_t>(static_cast<std::size_t>(work_group), builder.device().max_work_group)),
          count_(builder.kernel({"histogram/global.cl", defines_of(spec)}, "histogram_global", group_)) {
        groups_ = groups_for(
            spec.count(), group_,
            enough_groups(builder, std::uint64_t{builder.device().compute_units} * 16, spec.count(), group_, 8));
    }

    void enqueue(Execution& x, const host::Buffer& image, const host::Buffer& mask, const host::Buffer& counts,
                 const host::Buffer& edges) override {
        clearing_.enqueue(x, counts, spec_.slots());
        x.launch("count", *count_, {groups_, 1, 1}, {group_, 1, 1},
                 {image, mask_or(mask, image), edges_or(edges, image), counts, spec_.count()});
    }

private:
    Clearing clearing_;
    std::size_t group_, groups_;
    std::unique_ptr<host::Kernel> count_;
};

class ByteCounters final : public Counting {
public:
    ByteCounters(PlanBuilder& builder, const HistogramSpec& spec, int work_group)
        : Counting(builder, spec), clearing_(builder), group_(static_cast<std::size_t>(work_group)) {
        host::ProgramSpec program{"histogram/byte_counters.cl", {}};
        program.defines.add("GROUP", work_group);
        count_ = builder.kernel(program, "histogram_byte_counters");
        groups_ = groups_for(spec.count(), group_ * 240,
                             enough_groups(builder, std::uint64_t{builder.device().compute_units} * 16, spec.count(),
                                           group_ * 240, 300 + work_group));
    }

    void enqueue(Execution& x, const host::Buffer& image, const host::Buffer&, const host::Buffer& counts,
                 const host::Buffer&) override {
        clearing_.enqueue(x, counts, spec_.slots());
        x.launch("count", *count_, {groups_, 1, 1}, {group_, 1, 1}, {image, counts, spec_.count()});
    }

private:
    Clearing clearing_;
    std::unique_ptr<host::Kernel> count_;
    std::size_t group_, groups_;
};

class Tagged final : public Counting {
public:
    Tagged(PlanBuilder& builder, const HistogramSpec& spec, int work_group)
        : Counting(builder, spec), clearing_(builder), group_(static_cast<std::size_t>(work_group)) {
        const host::Capabilities& can = builder.context().capabilities();
        const int width = can.inline_ptx ? 32 : can.warp_width;
        const int tag_bits = std::countr_zero(static_cast<unsigned>(width));
        host::ProgramSpec program{"histogram/tagged.cl", {}};
        program.defines.add("GROUP", work_group).add("WIDTH", width).add("TAG_BITS", tag_bits).add("PTX", can.inline_ptx);
        count_ = builder.kernel(program, "histogram_tagged");
        // A warp counts fewer pixels than its counters hold, with a factor of two to spare.
        const std::uint64_t group_pixels = (std::uint64_t{1} << (31 - tag_bits)) * group_ / static_cast<std::size_t>(width);
        groups_ = std::max(groups_for(spec.count(), group_ * 4, std::uint64_t{builder.device().compute_units} * 8),
                           static_cast<std::size_t>((spec.count() + group_pixels - 1) / group_pixels));
    }

    void enqueue(Execution& x, const host::Buffer& image, const host::Buffer&, const host::Buffer& counts,
                 const host::Buffer&) override {
        clearing_.enqueue(x, counts, spec_.slots());
        x.launch("count", *count_, {groups_, 1, 1}, {group_, 1, 1}, {image, counts, spec_.count()});
    }

private:
    Clearing clearing_;
    std::unique_ptr<host::Kernel> count_;
    std::size_t group_, groups_;
};

}  // namespace

std::string replicated_why_not(const HistogramSpec& spec, host::Context& context) {
    if (std::string reason = local_why_not(spec, context); !reason.empty()) return reason;
    if (2 * spec.slots() > local_slots)
        return fmt::format("two copies of {} bins x {} channels do not fit into 32 KiB", spec.bins, spec.channels);
    return {};
}

std::string local_why_not(const HistogramSpec&, host::Context& context) {
    const std::uint64_t bytes = context.info().local_memory;
    return bytes >= 32768 ? std::string() : fmt::format("needs 32 KiB of local memory; the device has {} bytes", bytes);
}

std::string byte_counters_why_not(const HistogramSpec& spec, host::Context& context) {
    if (spec.type != ElementType::u8 || spec.bins != 64)
        return fmt::format("counts u8 in 64 bins only; this is {} in {}", to_string(spec.type), spec.bins);
    if (spec.channels != 1) return fmt::format("counts one channel; this image has {}", spec.channels);
    if (spec.masked) return "takes no mask";
    if (context.info().max_work_group < 64)
        return fmt::format("needs work-groups of 64; the device has {}", context.info().max_work_group);
    return local_why_not(spec, context);
}

std::string tagged_why_not(const HistogramSpec& spec, host::Context& context) {
    if (spec.type != ElementType::u8 || spec.bins != 256)
        return fmt::format("counts u8 in 256 bins only; this is {} in {}", to_string(spec.type), spec.bins);
    if (spec.channels != 1) return fmt::format("counts one channel; this image has {}", spec.channels);
    if (spec.masked) return "takes no mask";
    if (context.info().max_work_group < 256)
        return fmt::format("needs work-groups of 256; the device has {}", context.info().max_work_group);
    const host::Capabilities& can = context.capabilities();
    return can.inline_ptx || can.warp_width > 1
               ? std::string()
               : "needs work-items that go together in warps; none were found when the driver was probed";
}

std::unique_ptr<Histogram> make_replicated(PlanBuilder& builder, const HistogramSpec& spec, const LocalShape& shape) {
    const bool cpu = is_cpu(builder.device());
    LocalShape s = shape;
    if (s.work_group == 0) s.work_group = cpu ? 1 : 1024;
    // Finding the bin of an f32 takes longer than counting it: more groups in flight help, and copies only cost their adding up.
    const bool slow = !cpu && spec.type == ElementType::f32;
    if (s.copies == 0) s.copies = cpu ? 4 : slow ? 2 : 32;
    if (s.loads == 0) s.loads = slow ? 1 : 4;
    if (s.groups_per_unit == 0) s.groups_per_unit = cpu ? 8 : slow ? 2 : 1;
    return std::make_unique<LocalHistogram>(builder, spec, s);
}

std::unique_ptr<Histogram> make_local_atomics(PlanBuilder& builder, const HistogramSpec& spec, const LocalShape& shape) {
    const bool cpu = is_cpu(builder.device());
    LocalShape s = shape;
    const bool room = builder.device().local_memory >= 49152;
    if (s.counter_bits == 0) s.counter_bits = !cpu && room ? 16 : 32;
    if (s.counter_bits == 16 && !room)
        throw UnsupportedError("histogram variant \"local_atomics\" cannot run on " + builder.device().name,
                               {"counters of 16 bits are for 48 KiB of local memory"});
    const bool halves = s.counter_bits == 16 && spec.slots() > local_slots;
    if (s.work_group == 0) s.work_group = cpu ? 1 : halves ? 1024 : 256;
    const bool large = cpu && spec.slots() > local_slots;   // each group clears its counters and adds them up
    if (s.groups_per_unit == 0) s.groups_per_unit = large ? 1 : halves ? groups_of_halves(spec, builder.device()) : 8;
    if (s.loads == 0) s.loads = 4;
    s.copies = 1;
    return std::make_unique<LocalHistogram>(builder, spec, s);
}

std::unique_ptr<Histogram> make_global_atomics(PlanBuilder& builder, const HistogramSpec& spec, int work_group) {
    return std::make_unique<GlobalHistogram>(builder, spec, work_group);
}

std::unique_ptr<Histogram> make_byte_counters(PlanBuilder& builder, const HistogramSpec& spec, int work_group) {
    return std::make_unique<ByteCounters>(builder, spec, work_group);
}

std::unique_ptr<Histogram> make_tagged(PlanBuilder& builder, const HistogramSpec& spec, int work_group) {
    return std::make_unique<Tagged>(builder, spec, work_group);
}

std::unique_ptr<Histogram> make_best(PlanBuilder& builder, const HistogramSpec& spec) {
    if (replicated_why_not(spec, builder.context()).empty()) return make_replicated(builder, spec);
    if (local_why_not(spec, builder.context()).empty()) return make_local_atomics(builder, spec, {});
    return make_global_atomics(builder, spec, 256);
}

}  // namespace parallax::engine::histogram
