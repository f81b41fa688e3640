#include "same.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

namespace parallax::tests::whole_jobs {

namespace {

/// How far it is in `file` from one index to the next along each axis of `array`; empty where the axes have other names or sizes
/// and the order of elements is all there is.
std::vector<std::int64_t> strides_of(const ArrayDesc& file, const ArrayDesc& array) {
    std::vector<std::int64_t> strides;
    for (const Axis& axis : array.axes) {
        const Axis* const there = file.find(axis.name);
        if (there == nullptr ? axis.size > 1 : there->size != axis.size) return {};
        strides.push_back(there == nullptr ? 0 : there->stride);
    }
    return strides;
}

}  // namespace

std::string why_not_same(const HostArray& file, const HostArray& array) {
    if (file.desc.count() != array.desc.count())
        return fmt::format("{} where {} was written", file.desc.describe(), array.desc.describe());
    const bool truth = array.desc.type == ElementType::boolean;
    if (file.desc.type != array.desc.type && !(truth && file.desc.type == ElementType::u8))
        return fmt::format("{} where {} was written", file.desc.describe(), array.desc.describe());
    const std::vector<std::int64_t> strides = strides_of(file.desc, array.desc);
    const std::size_t bytes = bytes_of(array.desc.type);
    std::vector<std::int64_t> index(array.desc.axes.size());
    for (std::int64_t i = 0; i < array.desc.count(); ++i) {
        std::int64_t rest = i, at = strides.empty() ? i : 0;
        for (std::size_t a = index.size(); a-- > 0;) {
            index[a] = rest % array.desc.axes[a].size;
            rest /= array.desc.axes[a].size;
            if (!strides.empty()) at += index[a] * strides[a];
        }
        const std::byte *const mine = file.data() + at * static_cast<std::int64_t>(bytes),
                        *const right = array.data() + i * static_cast<std::int64_t>(bytes);
        const bool same = truth ? (*mine != std::byte{0}) == (*right != std::byte{0}) : std::memcmp(mine, right, bytes) == 0;
        if (!same) return fmt::format("another element at [{}] of {}", fmt::join(index, ", "), array.desc.describe());
    }
    return {};
}

}  // namespace parallax::tests::whole_jobs
