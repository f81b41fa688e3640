// `noise`: what goes in and what comes out, and the variant that runs a kernel.
#include "algorithms/noise/parameters.hpp"
#include "core/make_variant.hpp"
#include "core/observation.hpp"
#include "core/plan.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

namespace parallax::engine {
namespace noise {
namespace {

class DevicePlan final : public Plan {
public:
    DevicePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy) : spec_(spec_of(problem)) {
        if (spec_.count == 0) return;
        group_ = std::min<std::size_t>(static_cast<std::size_t>(policy.at("work_group_size")), builder.device().max_work_group);
        groups_ = static_cast<std::size_t>(std::min<std::uint64_t>((spec_.count + group_ - 1) / group_, 1u << 20));
        host::Defines d;
        d.add("KIND", static_cast<std::int64_t>(spec_.kind)).add("LEVELS", spec_.levels()).add("CLIP", spec_.clip);
        d.add("WATCH", spec_.may_cut());
        kernel_ = builder.kernel({"noise/add.cl", d}, "add_noise", group_);
        if (!spec_.may_cut()) return;
        begin_ = builder.kernel({"noise/add.cl", d}, "watch_begin");
        beyond_ = builder.scratch(sizeof(std::uint32_t));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        if (spec_.count == 0) return;
        const host::Buffer &in = arrays.input("image"), &out = arrays.output("image");
        if (!begin_) {
            x.launch("noise", *kernel_, {groups_, 1, 1}, {group_, 1, 1},
                     {in, out, spec_.count, spec_.seed, spec_.scale, spec_.full, spec_.threshold});
            return;
        }
        const host::Buffer& beyond = x.buffer(beyond_);
        x.launch("noise", *begin_, {1, 1, 1}, {1, 1, 1}, {beyond});
        x.launch("noise", *kernel_, {groups_, 1, 1}, {group_, 1, 1},
                 {in, out, spec_.count, spec_.seed, spec_.scale, spec_.full, spec_.threshold, beyond});
        x.record(observed, beyond, sizeof(std::uint32_t), [spec = spec_](std::span<const std::byte> read) {
            std::uint32_t found = 0;
            std::memcpy(&found, read.data(), sizeof found);
            return told(found != 0, spec);
        });
    }

private:
    NoiseSpec spec_;
    std::size_t group_ = 0, groups_ = 0;
    std::unique_ptr<host::Kernel> kernel_, begin_;
    Scratch beyond_;
};

ArrayDescs infer(const Problem& problem) {
    spec_of(problem);
    return {{"image", problem.inputs.at("image")}};
}

}  // namespace

Variant device_variant() {
    return make_variant<DevicePlan>({
        .name = "device",
        .summary = "random numbers by counter, in integers",
        .role = Role::best,
        .policy = {{"work_group_size", 64, {32, 64, 128, 256}, "work-items of a group"}},
    });
}

}  // namespace noise

Algorithm make_noise() {
    Algorithm a;
    a.name = "noise";
    a.summary = "Puts Gaussian, speckle or salt-and-pepper noise on an image, the same on every device";
    a.parameters = noise::noise_table();
    a.inputs = {{"image", "any shape; u8, u16 or f32", true, PortKind::array}};
    a.outputs = {{"image", "of the same shape and type", true, PortKind::array}};
    a.infer = noise::infer;
    a.chunking = [](const Problem&) { return Division::no("its random numbers are counted from the first element on"); };
    a.variants = {noise::device_variant(), noise::reference_variant()};
    return a;
}

}  // namespace parallax::engine
