// Several frames -> one, block by block, so that memory is needed only for the result.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "io/format.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io {
namespace {

constexpr std::int64_t block = 4096;

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

double median(std::vector<double>& values) {
    // As numpy has it: one NaN and the result is NaN.
    if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); }))
        return std::numeric_limits<double>::quiet_NaN();
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

HostArray combine(const std::vector<HostArray>& arrays, const std::string& how) {
    check(arrays, how);
    std::vector<HostArray> dense;
    for (const HostArray& array : arrays) dense.push_back(array.to_dense());
    HostArray result = HostArray::make(dense[0].desc.with_type(ElementType::f32));
    result.metadata = dense[0].metadata;
    const std::size_t n = dense.size();
    std::vector<double> values(static_cast<std::size_t>(block) * n), one(n);  // values[element of the block][array]
    for (std::int64_t start = 0; start < result.desc.count(); start += block) {
        const auto part = static_cast<std::size_t>(std::min(block, result.desc.count() - start));
        for (std::size_t a = 0; a < n; ++a) {
            visit_real(dense[a].desc.type, [&]<class T>(T) {
                const T* from = dense[a].as<T>() + start;
                for (std::size_t i = 0; i < part; ++i) values[i * n + a] = static_cast<double>(from[i]);
            });
        }
        float* to = result.as<float>() + start;
        for (std::size_t i = 0; i < part; ++i) {
            const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * n), last = first + static_cast<std::ptrdiff_t>(n);
            if (how == "median") {
                one.assign(first, last);
                to[i] = static_cast<float>(median(one));
            } else {
                double sum = 0;
                for (auto v = first; v != last; ++v) sum += *v;
                to[i] = static_cast<float>(sum / static_cast<double>(n));
            }
        }
    }
    return result;
}

}  // namespace parallax::io
