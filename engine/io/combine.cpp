// Several frames -> one, block by block, so that memory is needed only for the result.
#include <fmt/format.h>

#include <algorithm>

#include "io/format.hpp"
#include "io/median.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io {
namespace {

constexpr std::int64_t block = 4096;

/// Elements of each array that are taken at once: of many arrays fewer, so that a median's copies of them stay in 16 to 32 MB.
std::int64_t elements_at_once(std::size_t arrays, std::int64_t elements) {
    constexpr std::int64_t most = 1 << 22, least = 16;   // as many as medians() takes
    return std::min(elements, std::clamp(most / static_cast<std::int64_t>(std::max<std::size_t>(1, arrays)), least, block));
}

void check(const std::vector<HostArray>& arrays, const std::string& how) {
    if (how != "mean" && how != "median")
        throw Error(fmt::format("arrays are combined by \"mean\" or \"median\", not by \"{}\"", how));
    if (arrays.empty()) throw Error("there are no arrays to combine: at least one is needed");
    const auto same = [](const Axis& a, const Axis& b) { return a.name == b.name && a.size == b.size; };
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const ArrayDesc &first = arrays[0].desc, &desc = arrays[i].desc;
        if (is_complex(desc.type))
            throw Error(fmt::format("complex arrays cannot be combined; array {} is {}", i, desc.describe()));
        if (!std::equal(first.axes.begin(), first.axes.end(), desc.axes.begin(), desc.axes.end(), same)) {
            throw Error(fmt::format("arrays of one shape can be combined; array {} is {}, the first {}", i, desc.describe(),
                                    first.describe()));
        }
    }
}

/// Whether every value of a type is one of f32 too.
bool fits_f32(ElementType type) {
    return type != ElementType::f64 && type != ElementType::i32 && type != ElementType::u32 && type != ElementType::i64 &&
           type != ElementType::u64;
}

/// Elements [start, start + count) of an array, as T.
template <class T>
void convert(const HostArray& array, std::int64_t start, std::size_t count, T* to) {
    visit_real(array.desc.type, [&]<class From>(From) {
        const From* const from = array.as<From>() + start;
        for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i]);
    });
}

template <class T>
void median(const std::vector<HostArray>& arrays, HostArray& result) {
    const std::int64_t most = elements_at_once(arrays.size(), result.desc.count());
    std::vector<T> values(static_cast<std::size_t>(most) * arrays.size());
    for (std::int64_t start = 0; start < result.desc.count(); start += most) {
        const auto part = static_cast<std::size_t>(std::min(most, result.desc.count() - start));
        for (std::size_t a = 0; a < arrays.size(); ++a) convert(arrays[a], start, part, values.data() + a * part);
        medians<T>(arrays.size(), part, [&](std::size_t a) { return values.data() + a * part; }, result.as<float>() + start);
    }
}

void mean(const std::vector<HostArray>& arrays, HostArray& result) {
    std::vector<double> sums(static_cast<std::size_t>(block));
    for (std::int64_t start = 0; start < result.desc.count(); start += block) {
        const auto part = static_cast<std::size_t>(std::min(block, result.desc.count() - start));
        std::fill(sums.begin(), sums.end(), 0.0);
        for (const HostArray& array : arrays) {
            visit_real(array.desc.type, [&]<class From>(From) {
                const From* const from = array.as<From>() + start;
                for (std::size_t i = 0; i < part; ++i) sums[i] += static_cast<double>(from[i]);
            });
        }
        float* const to = result.as<float>() + start;
        for (std::size_t i = 0; i < part; ++i) to[i] = static_cast<float>(sums[i] / static_cast<double>(arrays.size()));
    }
}

}  // namespace

std::uint64_t bytes_to_combine(std::size_t arrays, const ArrayDesc& one, const std::string& how) {
    // An array's record, of which there are two, is more than a small one's elements; so is what malloc adds to its allocations.
    const std::uint64_t record = sizeof(HostArray) + one.axes.size() * sizeof(Axis) + 64;
    const std::uint64_t each = one.dense_bytes() + 2 * record;
    if (how != "median") return arrays * each + block * sizeof(double);
    const std::uint64_t element = fits_f32(one.type) ? sizeof(float) : sizeof(double);
    const auto at_once = static_cast<std::uint64_t>(elements_at_once(arrays, one.count()));
    return arrays * (each + element * (at_once + 16 + 1));   // a tile of 16 columns, and one column
}

HostArray combine(const std::vector<HostArray>& arrays, const std::string& how) {
    check(arrays, how);
    std::vector<HostArray> dense;
    for (const HostArray& array : arrays) dense.push_back(array.to_dense());
    HostArray result = HostArray::make(dense[0].desc.with_type(ElementType::f32));
    result.metadata = dense[0].metadata;
    if (how == "mean") {
        mean(dense, result);
    } else if (std::all_of(dense.begin(), dense.end(), [](const HostArray& array) { return fits_f32(array.desc.type); })) {
        median<float>(dense, result);
    } else {
        median<double>(dense, result);
    }
    return result;
}

}  // namespace parallax::io
