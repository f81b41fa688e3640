// `bitonic`: small arrays, by compare and exchange.
#include "algorithms/sort/passes.hpp"

#include <fmt/format.h>

#include <bit>

namespace parallax::engine::sort {
namespace {

constexpr std::int64_t most_keys = 65536;

class BitonicSorter final : public Sorter {
public:
    BitonicSorter(PlanBuilder& builder, const SortSpec& spec, const BitonicShape& shape)
        : spec_(spec), group_(std::min<std::int64_t>(shape.work_group, shape.block / 2)) {
        if (!sorts()) return;
        size_ = static_cast<std::int64_t>(std::bit_ceil(u64(spec.count)));
        block_ = std::min<std::int64_t>(size_, shape.block);
        host::ProgramSpec program{"sort/bitonic.cl", {}};
        program.defines.add("KEY_BITS", spec.key_bits())
            .add("HAS_VALUES", spec.values)
            .add("GROUP", group_)
            .add("BLOCK", shape.block);
        blocks_ = builder.kernel(program, "bitonic_blocks");
        step_ = builder.kernel(program, "bitonic_step");
        merge_ = builder.kernel(program, "bitonic_merge");
        fetch_ = builder.kernel(program, "bitonic_fetch");
        keys_ = builder.scratch(static_cast<std::size_t>(size_ * key_bytes(spec)));
        places_ = builder.scratch(static_cast<std::size_t>(size_) * sizeof(std::uint32_t));
    }

    void enqueue(Execution& x, const Arrays& from, const Arrays& to) override {
        if (spec_.count == 0) return;
        if (!sorts()) {
            copy_arrays(x, spec_, from, to);
            return;
        }
        const host::Buffer &keys = x.buffer(keys_), &places = x.buffer(places_);
        const std::uint32_t flip = spec_.descending ? ~std::uint32_t{0} : 0;
        x.launch("blocks", *blocks_, range(size_ / block_), range(group_),
                 {from.keys, keys, places, u32(spec_.count), u32(block_), u32(spec_.begin), u32(spec_.end), flip});
        for (std::int64_t length = 2 * block_; length <= size_; length *= 2) {
            for (std::int64_t apart = length / 2; apart >= block_; apart /= 2)
                x.launch("step", *step_, range(size_ / 2 / group_), range(group_), {keys, places, u32(length), u32(apart)});
            x.launch("merge", *merge_, range(size_ / block_), range(group_), {keys, places, u32(length), u32(block_)});
        }
        x.launch("fetch", *fetch_, range(divided_up(spec_.count, group_)), range(group_),
                 {from.keys, spec_.values ? from.values : from.keys, to.keys, spec_.values ? to.values : to.keys, places,
                  u32(spec_.count)});
    }

private:
    bool sorts() const noexcept { return spec_.count > 0 && spec_.begin < spec_.end; }

    SortSpec spec_;
    std::int64_t group_, size_ = 0, block_ = 0;
    std::unique_ptr<host::Kernel> blocks_, step_, merge_, fetch_;
    Scratch keys_, places_;
};

}  // namespace

std::string bitonic_why_not(const SortSpec& spec, host::Context& context) {
    const host::DeviceInfo& device = context.info();
    if (spec.count > most_keys) return fmt::format("sorts up to {} keys; these are {}", most_keys, spec.count);
    if (device.max_work_group < 256) return fmt::format("needs work-groups of 256; the device has {}", device.max_work_group);
    if (device.local_memory < 32768)
        return fmt::format("needs 32 KiB of local memory; the device has {} bytes", device.local_memory);
    return {};
}

std::unique_ptr<Sorter> make_bitonic(PlanBuilder& builder, const SortSpec& spec, const BitonicShape& shape) {
    return std::make_unique<BitonicSorter>(builder, spec, shape);
}

Variant bitonic_variant() {
    return sort_variant(
        {.name = "bitonic",
         .summary =
             "compare and exchange in local memory, log2^2 n steps, keys with their places (Batcher 1968); up to 65536 keys",
         .role = Role::baseline,
         .policy = {{"work_group_size", 256, {16, 64, 128, 256}, "work-items of a group"},
                    {"block", 2048, {64, 512, 1024, 2048}, "keys in local memory"}}},
        bitonic_why_not, [](PlanBuilder& builder, const SortSpec& spec, const Policy& policy) {
            return make_bitonic(builder, spec, {policy.at("work_group_size"), policy.at("block")});
        });
}

}  // namespace parallax::engine::sort
