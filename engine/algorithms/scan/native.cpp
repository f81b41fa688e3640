// `reference` and `threaded`: C++ on the native device. Threads take fixed parts, so that float sums, which run in double
// precision, do not depend on their number.
#include "algorithms/scan/parameters.hpp"
#include "core/make_variant.hpp"
#include "core/plan.hpp"
#include "core/threads.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace parallax::engine::scan {
namespace {

constexpr std::int64_t part_size = std::int64_t{1} << 18;

template <class T>
T join(Op op, T a, T b) {
    if (op == Op::sum) {
        if constexpr (std::is_same_v<T, std::int32_t>)
            return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
        else return a + b;
    }
    if (a != a) return a;
    if (b != b) return b;
    return op == Op::min ? std::min(a, b) : std::max(a, b);
}

template <class T>
T identity(Op op) {
    using Limits = std::numeric_limits<T>;
    if (op == Op::sum) return 0;
    if constexpr (std::is_floating_point_v<T>) return op == Op::min ? Limits::infinity() : -Limits::infinity();
    else return op == Op::min ? Limits::max() : Limits::min();
}

/// What runs along: floats in double precision.
template <class T> using Running = std::conditional_t<std::is_floating_point_v<T>, double, T>;

template <class T, class R>
R scan_part(const ScanParameters& p, const T* in, T* out, std::int64_t count, R before) {
    for (std::int64_t i = 0; i < count; ++i) {
        const R after = join<R>(p.op, before, in[i]);
        out[i] = static_cast<T>(p.kind == Kind::exclusive ? before : after);
        before = after;
    }
    return before;
}

template <class T>
void scan_all(const ScanParameters& p, const T* in, T* out, std::int64_t count, bool threaded) {
    using R = Running<T>;
    if (!threaded || count <= part_size) {
        scan_part(p, in, out, count, identity<R>(p.op));
        return;
    }
    const std::int64_t parts = (count + part_size - 1) / part_size;
    const auto size = [count](std::int64_t i) { return std::min(part_size, count - i * part_size); };
    std::vector<R> totals(static_cast<std::size_t>(parts));
    parallel_parts(parts, 0, [&](std::int64_t i) {
        R total = identity<R>(p.op);
        for (std::int64_t k = 0; k < size(i); ++k) total = join<R>(p.op, total, in[i * part_size + k]);
        totals[static_cast<std::size_t>(i)] = total;
    });
    scan_part({Kind::exclusive, p.op}, totals.data(), totals.data(), parts, identity<R>(p.op));
    parallel_parts(parts, 0, [&](std::int64_t i) {
        scan_part(p, in + i * part_size, out + i * part_size, size(i), totals[static_cast<std::size_t>(i)]);
    });
}

class NativePlan final : public Plan {
public:
    NativePlan(const Problem& problem, bool threaded)
        : parameters_(problem.parameters.as<ScanParameters>()), input_(problem.inputs.at("array")), threaded_(threaded) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("scan", [this, arrays] {
            const auto run = [&]<class T>(const T*) {
                scan_all(parameters_, reinterpret_cast<const T*>(arrays.input("array").host_pointer()),
                         reinterpret_cast<T*>(arrays.output("array").host_pointer()), input_.count(), threaded_);
            };
            if (input_.type == ElementType::u32) run(static_cast<const std::uint32_t*>(nullptr));
            else if (input_.type == ElementType::i32) run(static_cast<const std::int32_t*>(nullptr));
            else if (input_.type == ElementType::u64) run(static_cast<const std::uint64_t*>(nullptr));
            else run(static_cast<const float*>(nullptr));   // infer() admits no other type
        });
    }

private:
    ScanParameters parameters_;
    ArrayDesc input_;
    bool threaded_;
};

}  // namespace

Variant reference_variant() { return make_variant<NativePlan>(native_row("reference", "one loop on one thread"), false); }
Variant threaded_variant() {
    return make_variant<NativePlan>(native_row("threaded", "totals of parts, then their scans, on every thread of the processor"),
                                    true);
}

}  // namespace parallax::engine::scan
