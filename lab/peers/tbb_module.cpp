// oneTBB's parallel_reduce, parallel_scan and parallel_sort behind one C function. Built into a library of its own.
#include "peers/tbb_module.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>

namespace {

using Range = tbb::blocked_range<std::size_t>;
enum class Op { sum, min, max };

template <class T, Op op>
T join(T a, T b) {
    if constexpr (op == Op::sum) return static_cast<T>(a + b);
    if constexpr (std::is_floating_point_v<T>) {
        if (a != a) return a;
        if (b != b) return b;
    }
    return op == Op::min ? std::min(a, b) : std::max(a, b);
}

template <class T, Op op>
constexpr T identity() {
    using Limits = std::numeric_limits<T>;
    if constexpr (op == Op::sum) return 0;
    if constexpr (std::is_floating_point_v<T>) return op == Op::min ? Limits::infinity() : -Limits::infinity();
    else return op == Op::min ? Limits::max() : Limits::min();
}

/// What a sum of many elements is kept in.
template <class T>
using Wide =
    std::conditional_t<std::is_floating_point_v<T>, double, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T, Op op>
void reduce(const plx_tbb_call& c) {
    using W = Wide<T>;
    const T* const in = static_cast<const T*>(c.in);
    *static_cast<W*>(c.out) = tbb::parallel_reduce(
        Range(0, c.count), identity<W, op>(),
        [in](const Range& r, W so_far) {
            for (std::size_t i = r.begin(); i < r.end(); ++i) so_far = join<W, op>(so_far, in[i]);
            return so_far;
        },
        join<W, op>);
}

/// What runs along: reals in double precision, signed integers of sums unsigned, so that they wrap.
template <class T, Op op> struct RunningOf { using type = T; };
template <Op op> struct RunningOf<float, op> { using type = double; };
template <> struct RunningOf<std::int32_t, Op::sum> { using type = std::uint32_t; };

template <class T, Op op>
void scan(const plx_tbb_call& c) {
    using R = typename RunningOf<T, op>::type;
    const T* const in = static_cast<const T*>(c.in);
    T* const out = static_cast<T*>(c.out);
    const bool exclusive = c.exclusive != 0;
    tbb::parallel_scan(
        Range(0, c.count), identity<R, op>(),
        [=](const Range& r, R so_far, bool is_final) {
            for (std::size_t i = r.begin(); i < r.end(); ++i) {
                const R after = join<R, op>(so_far, static_cast<R>(in[i]));
                if (is_final) out[i] = static_cast<T>(exclusive ? so_far : after);
                so_far = after;
            }
            return so_far;
        },
        join<R, op>);
}

template <class T>
int by_op(const plx_tbb_call& c) {
    const bool scans = c.what == PLX_TBB_SCAN;
    switch (c.op) {
        case PLX_TBB_SUM: scans ? scan<T, Op::sum>(c) : reduce<T, Op::sum>(c); return 0;
        case PLX_TBB_MIN: scans ? scan<T, Op::min>(c) : reduce<T, Op::min>(c); return 0;
        default: scans ? scan<T, Op::max>(c) : reduce<T, Op::max>(c); return 0;
    }
}

template <class K>
int sort(const plx_tbb_call& c) {
    const K* const in = static_cast<const K*>(c.in);
    K* const out = static_cast<K*>(c.out);
    tbb::parallel_for(Range(0, c.count), [=](const Range& r) { std::copy(in + r.begin(), in + r.end(), out + r.begin()); });
    if (c.descending != 0) tbb::parallel_sort(out, out + c.count, std::greater<K>());
    else tbb::parallel_sort(out, out + c.count);
    return 0;
}

}  // namespace

int plx_tbb_abi(void) { return PLX_TBB_ABI; }

int plx_tbb_run(const plx_tbb_call* call) {
    const plx_tbb_call& c = *call;
    if (c.what == PLX_TBB_SORT)
        return c.type == PLX_TBB_U32 ? sort<std::uint32_t>(c) : c.type == PLX_TBB_U64 ? sort<std::uint64_t>(c) : -1;
    switch (c.type) {
        case PLX_TBB_U8: return by_op<std::uint8_t>(c);
        case PLX_TBB_U16: return by_op<std::uint16_t>(c);
        case PLX_TBB_U32: return by_op<std::uint32_t>(c);
        case PLX_TBB_I32: return by_op<std::int32_t>(c);
        case PLX_TBB_U64: return by_op<std::uint64_t>(c);
        case PLX_TBB_F32: return by_op<float>(c);
        default: return -1;
    }
}
