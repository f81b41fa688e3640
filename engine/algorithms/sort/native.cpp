// `reference` and `threaded`: the native device. The reference is std::stable_sort, the oracle of the others.
#include "algorithms/sort/sort.hpp"
#include "core/make_variant.hpp"
#include "core/threads.hpp"
#include "support/platform.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace parallax::engine::sort {
namespace {

/// Bits [begin, end) of a key; where the order descends, so that smaller comes first all the same.
template <class Key>
struct Compared {
    explicit Compared(const SortSpec& spec)
        : begin(spec.begin),
          mask(spec.end - spec.begin == static_cast<int>(8 * sizeof(Key)) ? ~Key{0} : (Key{1} << (spec.end - spec.begin)) - 1),
          flip(spec.descending ? mask : Key{0}) {}
    Key operator()(Key key) const noexcept { return mask == 0 ? 0 : static_cast<Key>(((key >> begin) & mask) ^ flip); }
    int begin;
    Key mask, flip;
};

template <class Key>
void reference_sort(const SortSpec& spec, const Key* keys, const std::uint32_t* values, Key* out_keys,
                    std::uint32_t* out_values) {
    const Compared<Key> compared(spec);
    const auto count = static_cast<std::size_t>(spec.count);
    if (!spec.values) {
        std::copy_n(keys, count, out_keys);
        std::stable_sort(out_keys, out_keys + count, [&](Key a, Key b) { return compared(a) < compared(b); });
        return;
    }
    std::vector<std::pair<Key, std::uint32_t>> pairs(count);
    for (std::size_t i = 0; i < count; ++i) pairs[i] = {keys[i], values[i]};
    std::stable_sort(pairs.begin(), pairs.end(),
                     [&](const auto& a, const auto& b) { return compared(a.first) < compared(b.first); });
    for (std::size_t i = 0; i < count; ++i) {
        out_keys[i] = pairs[i].first;
        out_values[i] = pairs[i].second;
    }
}

/// Radix sort, least significant byte first: threads count and then scatter parts of their own.
template <class Key>
void threaded_sort(const SortSpec& spec, const Key* keys, const std::uint32_t* values, Key* out_keys, std::uint32_t* out_values) {
    constexpr std::size_t bins = 256;
    const Compared<Key> compared(spec);
    const std::int64_t parts = std::clamp<std::int64_t>(host::platform::processors(), 1, spec.count / 4096 + 1);
    std::vector<std::array<std::int64_t, bins>> next(static_cast<std::size_t>(parts));
    const auto count = static_cast<std::size_t>(spec.count);
    std::vector<Key> from_keys(keys, keys + count), to_keys(count);
    std::vector<std::uint32_t> from_values, to_values;
    if (spec.values) {
        from_values.assign(values, values + count);
        to_values.resize(count);
    }
    Team team(static_cast<int>(parts));
    for (int shift = 0; shift < spec.end - spec.begin; shift += 8) {
        const auto digit = [&](Key key) { return static_cast<std::size_t>(compared(key) >> shift & Key{0xff}); };
        const auto each_part = [&](const auto& body) {
            team.ranges(parts, [&](std::int64_t first, std::int64_t end) {
                for (std::int64_t p = first; p < end; ++p)
                    body(next[static_cast<std::size_t>(p)], spec.count * p / parts, spec.count * (p + 1) / parts);
            });
        };
        each_part([&](auto& own, std::int64_t first, std::int64_t end) {
            own.fill(0);
            for (std::int64_t i = first; i < end; ++i) ++own[digit(from_keys[static_cast<std::size_t>(i)])];
        });
        std::int64_t sum = 0;
        for (std::size_t d = 0; d < bins; ++d)
            for (auto& own : next) sum += std::exchange(own[d], sum);
        each_part([&](auto& own, std::int64_t first, std::int64_t end) {
            for (std::int64_t i = first; i < end; ++i) {
                const Key key = from_keys[static_cast<std::size_t>(i)];
                const auto to = static_cast<std::size_t>(own[digit(key)]++);
                to_keys[to] = key;
                if (spec.values) to_values[to] = from_values[static_cast<std::size_t>(i)];
            }
        });
        from_keys.swap(to_keys);
        from_values.swap(to_values);
    }
    std::copy(from_keys.begin(), from_keys.end(), out_keys);
    std::copy(from_values.begin(), from_values.end(), out_values);
}

class NativePlan final : public Plan {
public:
    NativePlan(PlanBuilder& builder, const Problem& problem, bool threaded)
        : spec_(spec_of(problem)), keys_(problem.wants("keys")), threaded_(threaded) {
        const std::int64_t key = spec_.type == ElementType::u64 ? 8 : 4, pair = 2 * key;
        // Both sides of a pass; or pairs (else the keys stay where they are), and half as much by std::stable_sort.
        const std::int64_t each = threaded_ ? 2 * key + (spec_.values ? 8 : 0) : spec_.values ? pair + pair / 2 : key / 2;
        builder.takes(spec_.count * (each + (keys_ ? 0 : key)) + pair);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("sort", [this, arrays] {
            if (spec_.type == ElementType::u64) run<std::uint64_t>(arrays);
            else run<std::uint32_t>(arrays);   // spec_of() admits no other type
        });
    }

private:
    template <class Key>
    void run(const Bindings& arrays) const {
        std::vector<Key> unwanted(keys_ ? 0 : static_cast<std::size_t>(spec_.count));
        const auto values = [&](const host::Buffer& buffer) { return reinterpret_cast<std::uint32_t*>(buffer.host_pointer()); };
        const auto* const in = reinterpret_cast<const Key*>(arrays.input("keys").host_pointer());
        auto* const out = keys_ ? reinterpret_cast<Key*>(arrays.output("keys").host_pointer()) : unwanted.data();
        const std::uint32_t* const in_values = spec_.values ? values(arrays.input("values")) : nullptr;
        std::uint32_t* const out_values = spec_.values ? values(arrays.output("values")) : nullptr;
        (threaded_ ? threaded_sort<Key> : reference_sort<Key>)(spec_, in, in_values, out, out_values);
    }

    SortSpec spec_;
    bool keys_, threaded_;
};

}  // namespace

Variant reference_variant() {
    return make_variant<NativePlan>(native_row("reference", "std::stable_sort on one thread: the oracle"), false);
}
Variant threaded_variant() {
    return make_variant<NativePlan>(native_row("threaded", "radix sort by bytes on every thread of the processor"), true);
}

}  // namespace parallax::engine::sort
