// Order statistics without sorting (kernels_cl/elementwise/ranks.cl): percentiles, the least and the largest element.
#pragma once

#include "algorithms/elementwise/elementwise.hpp"

#include <optional>

namespace parallax::engine::elementwise {

/// Where in the sorted elements, as parts of 2^32 of the way from the first to the last: percent / 100.
struct Places {
    std::uint64_t low = 0, high = std::uint64_t{1} << 32;
    static Places of_percentiles(double low, double high) noexcept;
};

/// Elements that NaN and infinities are not among. Compiled for one type and size of at most 2^32 - 1 elements.
class Ranks {
public:
    Ranks(PlanBuilder&, ElementType, std::int64_t count, const Places&, const Policy&);
    /// Leaves the state that ranks.cl describes.
    void enqueue(Execution&, const host::Buffer& image);
    const host::Buffer& state(Execution& x) const { return x.buffer(state_); }

private:
    std::unique_ptr<host::Kernel> begin_, count_kernel_, pick_;
    Scratch state_, counts_;
    Places places_;
    std::uint64_t count_;
    std::uint32_t bits_;
    std::size_t group_ = 1, groups_ = 1, begin_group_ = 1;
};

/// KIND of kernels_cl/elementwise/keys.clh.
enum class KeyKind { unsigned_integer, signed_integer, real };
/// A, KIND and BITS of keys.clh.
void define_keys(host::Defines&, ElementType);
/// Throws ConfigError at /inputs/PORT for more elements than 32 bits count.
void check_rankable(const ArrayDesc&, const std::string& port);

/// What the host gives: the values at the two places, between neighbours in proportion, in f32. Nothing where no element is
/// finite.
std::optional<std::array<float, 2>> reference_ranks(const ArrayDesc&, const std::byte* image, const Places&);

}  // namespace parallax::engine::elementwise
