#include "algorithms/sort/passes.hpp"

namespace parallax::engine::sort {

void copy_arrays(Execution& x, const SortSpec& spec, const Arrays& from, const Arrays& to) {
    x.copy("copy", from.keys, to.keys, static_cast<std::size_t>(spec.count * key_bytes(spec)));
    if (spec.values) x.copy("copy", from.values, to.values, static_cast<std::size_t>(spec.count) * sizeof(std::uint32_t));
}

RadixPasses::RadixPasses(PlanBuilder& builder, const SortSpec& spec, int digit_bits, int index_bits)
    : spec_(spec),
      digit_bits_(digit_bits),
      index_bits_(index_bits != 0 ? index_bits : spec.count >> 32 != 0 ? 64 : 32),
      passes_(static_cast<int>(divided_up(spec.end - spec.begin, digit_bits))) {
    if (!sorts()) return;
    varying_ = builder.scratch(2 * sizeof(std::uint32_t));
    if (passes_ == 1) return;
    spare_keys_ = builder.scratch(static_cast<std::size_t>(spec.count * key_bytes(spec)));
    if (spec.values) spare_values_ = builder.scratch(static_cast<std::size_t>(spec.count) * sizeof(std::uint32_t));
}

host::Defines RadixPasses::defines() const {
    host::Defines d;
    d.add("KEY_BITS", spec_.key_bits())
        .add("HAS_VALUES", spec_.values)
        .add("DIGIT_BITS", digit_bits_)
        .add("INDEX_BITS", index_bits_);
    return d;
}

void RadixPasses::enqueue(Execution& x, const Arrays& from, const Arrays& to) {
    if (spec_.count == 0) return;
    if (passes_ == 0) {
        copy_arrays(x, spec_, from, to);
        return;
    }
    // Kernels name every array, those too that they never touch.
    const Arrays in{from.keys, spec_.values ? from.values : from.keys}, out{to.keys, spec_.values ? to.values : to.keys};
    const Arrays spare{passes_ > 1 ? x.buffer(spare_keys_) : to.keys,
                       passes_ > 1 && spec_.values ? x.buffer(spare_values_) : to.keys};
    const host::Buffer& varying = x.buffer(varying_);
    clear(x, varying);
    for (int number = 0; number < passes_; ++number) pass(x, static_cast<std::uint32_t>(number), in, out, spare, varying);
}

}  // namespace parallax::engine::sort
