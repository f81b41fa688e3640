#include "algorithms/elementwise/elementwise.hpp"

#include "core/hints.hpp"
#include "core/make_variant.hpp"
#include "core/observation.hpp"
#include "core/turned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace parallax::engine::elementwise {
namespace {

template <class T> Limits limits() { return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}; }

std::vector<Axis> without(const std::vector<Axis>& axes, char name) {
    std::vector<Axis> rest;
    std::copy_if(axes.begin(), axes.end(), std::back_inserter(rest), [name](const Axis& axis) { return axis.name != name; });
    return rest;
}

bool same_sizes(const Axis* a, const std::vector<Axis>& b) {
    return std::equal(b.begin(), b.end(), a, [](const Axis& x, const Axis& y) { return x.size == y.size; });
}

class NativePlan final : public Plan {
public:
    NativePlan(PlanBuilder& builder, Problem problem, Work work, const std::function<std::int64_t(const Problem&)>& taken)
        : problem_(std::move(problem)), work_(std::move(work)) {
        if (taken) builder.takes(taken(problem_));
    }
    void enqueue(Execution& x, const Bindings& arrays) override {
        const auto records = std::make_shared<Json>(Json::object());
        x.host_task("reference", [this, arrays, records] { work_(problem_, arrays, *records); });
        for (const std::string& port : problem_.outputs)
            if (!arrays.has_output(port)) x.record(port, [records, port] { return records->at(port); });
        x.record(observed,
                 [records] { return records->value(observed, Json()); });   // an observation, where the work has made one
    }

private:
    Problem problem_;
    Work work_;
};

}  // namespace

bool is_supported(ElementType type) noexcept {
    switch (type) {
        case ElementType::u8:
        case ElementType::u16:
        case ElementType::i16:
        case ElementType::u32:
        case ElementType::i32:
        case ElementType::f32: return true;
        default: return false;
    }
}

const char* kernel_type(ElementType type) noexcept {
    switch (type) {
        case ElementType::u8: return "uchar";
        case ElementType::u16: return "ushort";
        case ElementType::i16: return "short";
        case ElementType::u32: return "uint";
        case ElementType::i32: return "int";
        default: return "float";
    }
}

Limits limits_of(ElementType type) noexcept {
    switch (type) {
        case ElementType::u8: return limits<std::uint8_t>();
        case ElementType::u16: return limits<std::uint16_t>();
        case ElementType::i16: return limits<std::int16_t>();
        case ElementType::u32: return limits<std::uint32_t>();
        default: return limits<std::int32_t>();
    }
}

void define_type(host::Defines& d, const std::string& name, ElementType type) {
    const bool real = type == ElementType::f32;
    d.add(name, kernel_type(type)).add(name + "_REAL", real);
    if (real) return;
    const char* const limits = type == ElementType::u8    ? "UCHAR"
                               : type == ElementType::u16 ? "USHRT"
                               : type == ElementType::i16 ? "SHRT"
                               : type == ElementType::u32 ? "UINT"
                                                          : "INT";
    d.add(name + "_LOW", type == ElementType::i16 || type == ElementType::i32 ? limits + std::string("_MIN") : "0");
    d.add(name + "_HIGH", limits + std::string("_MAX"));
}

void check_image(const ArrayDesc& desc, const std::string& port) {
    const std::string pointer = "/inputs/" + port;
    if (!is_supported(desc.type))
        throw ConfigError(pointer, desc.describe(), "elements of type u8, u16, i16, u32, i32 or f32", how_to_convert(desc));
    if (!desc.is_dense()) throw ConfigError(pointer, desc.describe() + " with gaps", "a dense array");
}

namespace {

/// How another array goes with the image, and with which of its axes; nothing: by their sizes it does not.
std::optional<std::pair<Pairing, std::vector<Axis>>> match(const ArrayDesc& image, const ArrayDesc& other) {
    const std::size_t n = other.axes.size();
    const auto last = [n](const std::vector<Axis>& axes) {
        return std::vector<Axis>(axes.end() - static_cast<std::ptrdiff_t>(n), axes.end());
    };
    const auto fits = [&](const std::vector<Axis>& axes) {
        return n <= axes.size() && same_sizes(axes.data() + (axes.size() - n), other.axes);
    };
    if (n == image.axes.size() && fits(image.axes)) return std::pair(Pairing{Pairing::same, 1}, image.axes);
    if (image.find('c') != nullptr && image.axes.back().name == 'c') {
        std::vector<Axis> rest = without(image.axes, 'c');
        if (n == rest.size() && fits(rest)) return std::pair(Pairing{Pairing::channels, image.size('c')}, std::move(rest));
    }
    if (n == 0 || !fits(image.axes)) return std::nullopt;
    return std::pair(Pairing{Pairing::repeated, std::max<std::int64_t>(other.count(), 1)}, last(image.axes));
}

}   // namespace

Pairing pairing_of(const ArrayDesc& image, const ArrayDesc& other, const std::string& port) {
    if (!other.is_dense()) throw ConfigError("/inputs/" + port, other.describe() + " with gaps", "a dense array");
    const auto has_both = [](const ArrayDesc& desc) { return desc.find('x') != nullptr && desc.find('y') != nullptr; };
    if (has_both(image) && has_both(other) && is_turned(other) != is_turned(image))
        throw ConfigError("/inputs/" + port, other.describe(), "y and x in the order of the image, " + image.describe());
    if (const auto found = match(image, other)) return found->first;
    throw ConfigError(
        "/inputs/" + port, other.describe(),
        "the shape of the image, " + image.describe() + ", or that without channels, or of one slice or frame of it");
}

std::vector<std::string> warnings_of_axes(const Problem& problem, const std::string& port) {
    const auto other = problem.inputs.find(port);
    const ArrayDesc& image = problem.inputs.at("image");
    const auto found = other == problem.inputs.end() ? std::nullopt : match(image, other->second);
    if (!found) return {};
    // NPY names no axes, so that what it calls z may be times.
    const auto deep = [](char name) { return std::string_view("tzn").find(name) != std::string_view::npos; };
    const auto alike = [&](const Axis& a, const Axis& b) { return a.name == b.name || (deep(a.name) && deep(b.name)); };
    const std::vector<Axis>& axes = other->second.axes;
    // All that an array without names has, and with as many as the image it can only be meant so.
    constexpr std::string_view unnamed = "tzyx";
    std::string names;
    for (const Axis& axis : axes) names += axis.name;
    if (axes.size() == image.axes.size() && unnamed.ends_with(names)) return {};
    if (std::equal(axes.begin(), axes.end(), found->second.begin(), alike)) return {};
    return {fmt::format("{} is {}, and goes with the image, {}, by the sizes of axes: their names are unlike", port,
                        other->second.describe(), image.describe())};
}

ElementwisePass::ElementwisePass(PlanBuilder& builder, const std::string& file, host::Defines defines, const Pairing& pairing,
                                 std::int64_t count, const Policy& policy)
    : pairing_(pairing), count_(static_cast<std::uint64_t>(count)) {
    if (count == 0) return;
    const host::DeviceInfo& device = builder.device();
    const bool cpu = device.type == host::DeviceType::cpu;
    const int wanted = policy.at("work_group_size"), loads = policy.at("loads");
    group_ = std::min<std::size_t>(wanted != 0 ? static_cast<std::size_t>(wanted) : cpu ? 1 : 256, device.max_work_group);
    const std::uint64_t a_group = group_ == 1 ? 4096 : group_ * 4 * static_cast<std::uint64_t>(loads);
    const auto most = std::uint64_t{device.compute_units} * static_cast<std::uint64_t>(policy.at("groups_per_unit"));
    groups_ =
        static_cast<std::size_t>(std::max(count_ / (group_ * most_turns) + 1, std::min((count_ + a_group - 1) / a_group, most)));
    defines.add("PAIRING", static_cast<std::int64_t>(pairing.kind))
        .add("GROUP", static_cast<std::int64_t>(group_))
        .add("LOADS", loads);
    kernel_ = builder.kernel({file, std::move(defines)}, "stream");
}

void ElementwisePass::enqueue(Execution& x, std::string_view stage, const host::Buffer& image, const host::Buffer& other,
                              const host::Buffer& parameters, const host::Buffer& out) {
    if (count_ == 0) return;
    x.launch(stage, *kernel_, {groups_, 1, 1}, {group_, 1, 1},
             {image, other, parameters, out, count_, static_cast<std::uint64_t>(pairing_.n)});
}

PolicyTable pass_policy() {
    return {{"work_group_size", 0, {0, 1, 64, 128, 256, 512}, "work-items of a group; 0: 1 on CPUs, 256 elsewhere"},
            {"loads", 2, {1, 2, 4, 8}, "vectors of four elements in flight for each work-item"},
            {"groups_per_unit", 16, {1, 2, 4, 8, 16, 32, 64}, "work-groups for each compute unit at most"}};
}

Variant reference_variant(Work work, std::function<std::int64_t(const Problem&)> taken) {
    return make_variant<NativePlan>(native_row("reference", "one loop on one thread: what the device is measured by"),
                                    std::move(work), std::move(taken));
}

void check_kept_by_float(double number, const char* pointer) {
    if (!is_kept_by_float(number))
        throw ConfigError(pointer, fmt::format("{}, which is {} as f32", number, static_cast<float>(number)), numbers_of_float);
}

}  // namespace parallax::engine::elementwise
