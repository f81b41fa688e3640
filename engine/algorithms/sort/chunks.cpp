// `radix_chunks`: the radix sort for CPUs.
#include "algorithms/sort/passes.hpp"
#include "core/long_loops.hpp"

#include <fmt/format.h>

namespace parallax::engine::sort {
namespace {

// Digits of 11 bits save passes, but 2048 places to write to, and as many sums at the start of a chunk, are dearer than 256.
constexpr std::int64_t few_keys = 1 << 17;

int digit_bits_of(const SortSpec& spec, const ChunksShape& shape) {
    if (shape.digit_bits != 0) return shape.digit_bits;
    const int width = spec.end - spec.begin;
    return spec.values || spec.count < few_keys || divided_up(width, 11) == divided_up(width, 8) ? 8 : 11;
}

/// The keys in chunks, for digits of so many bins.
struct Chunking {
    std::int64_t chunk, chunks, bins;
    /// What a chunk takes to count (keys in fours, COPIES and one sum for each bin) or to scatter (keys one by one, a sum for
    /// each bin and chunk), whichever is more, and a few for the passes.
    std::int64_t rounds() const { return std::max(5 * bins + chunk * 5 / 4, bins * (chunks + 1) + chunk) + 64; }
};

Chunking chunking_of(const SortSpec& spec, const ChunksShape& shape, const host::DeviceInfo& device) {
    const std::int64_t bins = std::int64_t{1} << digit_bits_of(spec, shape);
    // What a chunk adds up before it begins is paid for by some keys for each digit.
    const std::int64_t wanted =
        std::min<std::int64_t>(std::int64_t{device.compute_units} * shape.chunks_per_unit, divided_up(spec.count, 16 * bins));
    const std::int64_t chunk = divided_up(spec.count, wanted);
    return {chunk, divided_up(spec.count, chunk), bins};
}

class ChunksSorter final : public RadixPasses {
public:
    ChunksSorter(PlanBuilder& builder, const SortSpec& spec, const ChunksShape& shape)
        : RadixPasses(builder, spec, digit_bits_of(spec, shape), shape.index_bits) {
        if (!sorts()) return;
        const Chunking chunking = chunking_of(spec, shape, builder.device());
        require_rounds(builder.context(), chunking.rounds());
        chunk_ = chunking.chunk;
        chunks_ = chunking.chunks;
        host::ProgramSpec program{"sort/chunks.cl", defines()};
        clear_kernel_ = builder.kernel(program, "clear_varying");
        count_kernel_ = builder.kernel(program, "count_chunks");
        scatter_kernel_ = builder.kernel(program, "scatter_chunks");
        counts_ = builder.scratch(static_cast<std::size_t>(chunks_ * bins() * index_bytes()));
    }

private:
    void clear(Execution& x, const host::Buffer& varying) override {
        x.launch("clear", *clear_kernel_, range(1), range(1), {varying});
    }

    void pass(Execution& x, std::uint32_t number, const Arrays& from, const Arrays& to, const Arrays& spare,
              const host::Buffer& varying) override {
        const host::Buffer& counts = x.buffer(counts_);
        const std::uint32_t begin = u32(spec_.begin), end = u32(spec_.end);
        x.launch("count", *count_kernel_, range(chunks_), range(1),
                 {from.keys, to.keys, spare.keys, counts, varying, u64(spec_.count), u64(chunk_), number, begin, end, flip()});
        x.launch("scatter", *scatter_kernel_, range(chunks_), range(1),
                 {from.keys, to.keys, spare.keys, from.values, to.values, spare.values, counts, varying, u64(spec_.count),
                  u64(chunk_), number, begin, end, flip()});
    }

    std::int64_t chunk_ = 0, chunks_ = 0;
    std::unique_ptr<host::Kernel> clear_kernel_, count_kernel_, scatter_kernel_;
    Scratch counts_;
};

}  // namespace

std::string radix_chunks_why_not(const SortSpec& spec, host::Context& context) {
    const host::DeviceInfo& device = context.info();
    if (device.type != host::DeviceType::cpu) return fmt::format("is for CPUs; this device is a {}", to_string(device.type));
    if (spec.count > 0) return too_many_rounds(context, chunking_of(spec, {}, device).rounds());
    return {};
}

std::unique_ptr<Sorter> make_radix_chunks(PlanBuilder& builder, const SortSpec& spec, const ChunksShape& shape) {
    return std::make_unique<ChunksSorter>(builder, spec, shape);
}

Variant radix_chunks_variant() {
    return sort_variant(
        {.name = "radix_chunks",
         .summary = "for CPUs: a chunk for each core, least significant digit first, no barrier",
         .role = Role::best,
         .policy = {{"digit_bits", 0, {0, 4, 8, 11}, "bits of a digit; 0: 11 for many keys without values, else 8"},
                    {"chunks_per_unit", 4, {1, 2, 4, 8}, "chunks for each compute unit"},
                    {"index_bits", 0, {0, 32, 64}, "bits of positions; 0: 64 from 2^32 keys on"}}},
        radix_chunks_why_not, [](PlanBuilder& builder, const SortSpec& spec, const Policy& policy) {
            return make_radix_chunks(builder, spec,
                                     {policy.at("digit_bits"), policy.at("chunks_per_unit"), policy.at("index_bits")});
        });
}

}  // namespace parallax::engine::sort
