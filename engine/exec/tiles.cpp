#include "exec/tiles.hpp"

#include "parallax/host/error.hpp"

#include <algorithm>
#include <cstring>

namespace parallax::engine {

namespace {

/// Elements before, along and behind an axis of a dense array.
struct Extents {
    std::int64_t outer = 1, along = 1, inner = 1;
};

Extents around(const ArrayDesc& desc, char axis) {
    Extents e;
    bool behind = false;
    for (const Axis& a : desc.axes) {
        if (a.name == axis) {
            e.along = a.size;
            behind = true;
        } else {
            (behind ? e.inner : e.outer) *= a.size;
        }
    }
    return e;
}

template <class T>
void add_elements(std::int64_t count, std::byte* sums, const std::byte* more) {
    auto* const to = reinterpret_cast<T*>(sums);
    const auto* const from = reinterpret_cast<const T*>(more);
    for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace

std::int64_t Tiling::count() const noexcept { return (whole + own - 1) / own; }
std::int64_t Tiling::reads(std::int64_t size) const noexcept { return std::min(whole, size + 2 * way.halo + way.align - 1); }

Tile Tiling::at(std::int64_t tile) const noexcept {
    Tile t;
    t.own_first = tile * own;
    t.own_size = std::min(own, whole - t.own_first);
    if (way.merge == Chunking::add || way.join) {   // what two tiles read would count twice
        t.first = t.own_first;
        t.size = t.own_size;
        return t;
    }
    const auto aligned = [this](std::int64_t at) { return at / way.align * way.align; };
    const std::int64_t last = aligned(whole - reads(own));   // the last place where a tile may begin
    t.first = std::min(aligned(std::max<std::int64_t>(0, t.own_first - way.halo)), last);
    t.size = t.first == last ? whole - last : reads(own);
    return t;
}

ArrayDesc with_size(const ArrayDesc& desc, char axis, std::int64_t size) {
    ArrayDesc cut = desc;
    for (Axis& a : cut.axes)
        if (a.name == axis) a.size = size;
    return cut.to_dense();
}

void copy_stretch(const ArrayDesc& from, const std::byte* source, std::int64_t from_first, const ArrayDesc& to, std::byte* target,
                  std::int64_t to_first, char axis, std::int64_t size) {
    const Extents f = around(from, axis), t = around(to, axis);
    const auto inner = static_cast<std::size_t>(f.inner) * bytes_of(from.type);
    for (std::int64_t o = 0; o < f.outer; ++o) {
        std::memcpy(target + static_cast<std::size_t>(o * t.along + to_first) * inner,
                    source + static_cast<std::size_t>(o * f.along + from_first) * inner, static_cast<std::size_t>(size) * inner);
    }
}

void add_up(const ArrayDesc& desc, std::byte* sums, const std::byte* more) {
    switch (desc.type) {
        case ElementType::u32: return add_elements<std::uint32_t>(desc.count(), sums, more);
        case ElementType::u64: return add_elements<std::uint64_t>(desc.count(), sums, more);
        default: throw Error("chunks of " + desc.describe() + " cannot be added up: this is a fault of the engine");
    }
}

}  // namespace parallax::engine
