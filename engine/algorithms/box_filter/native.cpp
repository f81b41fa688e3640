// `reference` and `threaded`: C++ on the native device.
#include "algorithms/box_filter/reference.hpp"
#include "core/make_variant.hpp"
#include "core/plan.hpp"
#include "core/threads.hpp"
#include "support/platform.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace parallax::engine::box_filter {
namespace {

/// Windows of n elements that stand `inner` apart: from the ends of one block and the beginnings of the next, each as long as the
/// window.
template <class Sum>
void filter_line(const std::vector<std::int64_t>& places, std::int64_t n, std::int64_t window, Sum fill, const Sum* in,
                 std::int64_t inner, std::vector<Sum>& line, std::vector<Sum>& ends, Sum* out) {
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = places[i] < 0 ? fill : in[places[i] * inner];
    for (std::int64_t block = 0; block < n; block += window) {
        Sum sum = 0;
        for (std::int64_t j = window - 1; j >= 0; --j) {
            if (const std::int64_t i = block + j; i < n + window - 1) sum += line[static_cast<std::size_t>(i)];
            ends[static_cast<std::size_t>(j)] = sum;
        }
        sum = 0;
        for (std::int64_t j = 0; j < std::min(window, n - block); ++j) {
            if (j > 0) sum += line[static_cast<std::size_t>(block + window + j - 1)];
            out[(block + j) * inner] = ends[static_cast<std::size_t>(j)] + sum;
        }
    }
}

template <class T>
void filter(const BoxSpec& s, const T* in, T* out) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
    std::vector<Sum> sums(in, in + s.count());
    const std::int64_t row = s.width * s.channels, lengths[] = {s.width, s.height, s.depth},
                       inner[] = {s.channels, row, row * s.height * s.middle};
    auto fill = static_cast<Sum>(s.fill());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t n = lengths[axis], window = s.window[axis], step = inner[axis];
        if (window == 1) continue;
        std::vector<std::int64_t> places(static_cast<std::size_t>(n + window - 1));
        for (std::size_t i = 0; i < places.size(); ++i)
            places[i] = border_index(s.border, static_cast<std::int64_t>(i) - window / 2, n);
        parallel_ranges(s.count() / n, 0, [&](std::int64_t first, std::int64_t end) {
            std::vector<Sum> line(places.size()), ends(static_cast<std::size_t>(window));
            for (std::int64_t l = first; l < end; ++l) {
                Sum* const at = sums.data() + l / step * step * n + l % step;
                filter_line(places, n, window, fill, at, step, line, ends, at);
            }
        }, std::max<std::int64_t>(1, elements_worth_a_thread / n));
        fill *= static_cast<Sum>(window);
    }
    parallel_ranges(s.count(), 0, [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t i = first; i < end; ++i) {
            const Sum sum = sums[static_cast<std::size_t>(i)];
            if constexpr (std::is_floating_point_v<T>) out[i] = static_cast<T>(sum / static_cast<double>(s.taps()));
            else out[i] = static_cast<T>(rounded_mean(sum, static_cast<std::uint64_t>(s.taps())));
        }
    }, elements_worth_a_thread);
}

/// By reference_rows(): where the elements of the windows along each axis are.
std::int64_t taken_by_reference(const BoxSpec& s) {
    return 8 * (s.width + s.height + s.depth + s.window[0] + s.window[1] + s.window[2]);
}

/// By filter(): sums of eight bytes, and each thread's line with its ends.
std::int64_t taken(const BoxSpec& s) {
    std::int64_t lines = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t n = axis == 0 ? s.width : axis == 1 ? s.height : s.depth;
        const std::int64_t threads = std::min<std::int64_t>(host::platform::processors(), s.count() / n);
        if (s.window[axis] > 1) lines = std::max(lines, 8 * (n + 2 * s.window[axis]) * (threads + 1));
    }
    return 8 * s.count() + lines;
}

class NativePlan final : public Plan {
public:
    NativePlan(PlanBuilder& builder, const Problem& problem, bool threaded) : spec_(spec_of(problem)), threaded_(threaded) {
        builder.takes(threaded_ ? taken(spec_) : taken_by_reference(spec_));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("filter", [this, arrays] {
            const std::byte* const in = arrays.input("image").host_pointer();
            std::byte* const out = arrays.output("image").host_pointer();
            const auto run = [&]<class T>(const T*) { filter(spec_, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out)); };
            if (!threaded_) reference_rows(spec_, in, out, 0, spec_.outer * spec_.depth * spec_.middle * spec_.height);
            else if (spec_.type == ElementType::u8) run(static_cast<const std::uint8_t*>(nullptr));
            else if (spec_.type == ElementType::u16) run(static_cast<const std::uint16_t*>(nullptr));
            else run(static_cast<const float*>(nullptr));
        });
    }

private:
    BoxSpec spec_;
    bool threaded_;
};

}  // namespace

Variant threaded_variant() {
    return make_variant<NativePlan>(
        native_row("threaded", "one axis after the other on every thread of the processor, in double precision"), true);
}
Variant reference_variant() {
    return make_variant<NativePlan>(native_row("reference", "the definition: every window's elements, one by one, on one thread"),
                                    false);
}

}  // namespace parallax::engine::box_filter
