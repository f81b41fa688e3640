#include "algorithms/elementwise/ranks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace parallax::engine::elementwise {

Places Places::of_percentiles(double low, double high) noexcept {
    const auto place = [](double percent) { return static_cast<std::uint64_t>(std::llround(std::ldexp(percent / 100, 32))); };
    return {place(low), place(high)};
}

void define_keys(host::Defines& d, ElementType type) {
    const KeyKind kind = type == ElementType::f32  ? KeyKind::real
                         : limits_of(type).low < 0 ? KeyKind::signed_integer
                                                   : KeyKind::unsigned_integer;
    d.add("A", kernel_type(type))
        .add("KIND", static_cast<std::int64_t>(kind))
        .add("BITS", static_cast<std::int64_t>(8 * bytes_of(type)));
}

void check_rankable(const ArrayDesc& desc, const std::string& port) {
    if (desc.count() > std::numeric_limits<std::uint32_t>::max())
        throw ConfigError("/inputs/" + port, desc.describe(), "at most 4294967295 elements, what u32 counts",
                          "cut the image into parts");
}

Ranks::Ranks(PlanBuilder& builder, ElementType type, std::int64_t count, const Places& places, const Policy& policy)
    : places_(places), count_(static_cast<std::uint64_t>(count)), bits_(static_cast<std::uint32_t>(8 * bytes_of(type))) {
    const host::DeviceInfo& device = builder.device();
    const bool serial = device.type == host::DeviceType::cpu && policy.at("work_group_size") <= 1;
    const std::size_t widest = std::bit_floor(std::size_t{device.max_work_group});
    group_ = serial ? 1 : std::min<std::size_t>(256, widest);
    begin_group_ = std::min<std::size_t>(256, widest);
    const std::uint64_t a_group = group_ == 1 ? most_turns : group_ * 32, most = std::uint64_t{device.compute_units} * 8;
    groups_ = static_cast<std::size_t>(std::max(count_ / (group_ * most_turns) + 1, std::min(count_ / a_group, most)));
    host::Defines d;
    define_keys(d, type);
    d.add("GROUP", static_cast<std::int64_t>(group_));
    const host::ProgramSpec program{"elementwise/ranks.cl", d};
    begin_ = builder.kernel(program, "ranks_begin", begin_group_);
    count_kernel_ = builder.kernel(program, "ranks_count");
    pick_ = builder.kernel(program, "ranks_pick");
    state_ = builder.scratch(12 * sizeof(std::uint32_t));
    counts_ = builder.scratch(4 * 256 * sizeof(std::uint32_t));
}

void Ranks::enqueue(Execution& x, const host::Buffer& image) {
    const host::Buffer &state = x.buffer(state_), &counts = x.buffer(counts_);
    x.launch("begin", *begin_, {1024 / begin_group_, 1, 1}, {begin_group_, 1, 1}, {state, counts});
    for (std::uint32_t shift = bits_; shift != 0; shift -= 8) {
        const auto first = static_cast<std::int32_t>(shift == bits_);
        x.launch("count", *count_kernel_, {groups_, 1, 1}, {group_, 1, 1}, {image, state, counts, count_, shift - 8, first});
        x.launch("pick", *pick_, {1, 1, 1}, {group_, 1, 1}, {state, counts, places_.low, places_.high, first});
    }
}

std::optional<std::array<float, 2>> reference_ranks(const ArrayDesc& desc, const std::byte* image, const Places& places) {
    std::optional<std::array<float, 2>> found;
    visit(desc.type, [&]<class T>(T) {
        const T* elements = reinterpret_cast<const T*>(image);
        std::vector<T> sorted;
        sorted.reserve(static_cast<std::size_t>(desc.count()));
        std::copy_if(elements, elements + desc.count(), std::back_inserter(sorted),
                     [](T v) { return std::isfinite(static_cast<double>(v)); });
        if (sorted.empty()) return;
        std::sort(sorted.begin(), sorted.end());
        const auto value = [&](std::uint64_t place) {
            const std::uint64_t exact = place * (sorted.size() - 1), below = exact >> 32;
            const auto low = static_cast<float>(sorted[below]),
                       high = static_cast<float>(sorted[std::min<std::uint64_t>(below + 1, sorted.size() - 1)]);
            return low + static_cast<float>(static_cast<std::uint32_t>(exact)) * 0x1p-32f * (high - low);
        };
        found = {value(places.low), value(places.high)};
    });
    return found;
}

}  // namespace parallax::engine::elementwise
