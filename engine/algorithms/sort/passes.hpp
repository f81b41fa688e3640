// What the radix sorts on devices share: digits, defines, and the arrays between passes.
#pragma once

#include "algorithms/sort/sort.hpp"
#include "core/integers.hpp"

#include <algorithm>

namespace parallax::engine::sort {

inline host::NDRange range(std::int64_t x) { return {static_cast<std::size_t>(x), 1, 1}; }
inline std::int64_t key_bytes(const SortSpec& spec) { return spec.key_bits() / 8; }

/// What ranking by warps takes where `shape` leaves it open, with as many keys a work-item as local memory holds.
RadixShape fitted_for_warps(const SortSpec&, const RadixShape& shape, const host::DeviceInfo&);
/// Whether half a warp is ranked together (sort/rank_warp.clh). Keys of 64 bits gain nothing by it, nor keys with values by CUDA's
/// compiler.
bool ranks_by_halves(const SortSpec&, const host::DeviceInfo&);
/// The policy of tiles that are ranked by warps.
/// work_group, items: what 0 stands for of a group's work-items, and of the keys of one.
PolicyTable warp_policy(const char* work_group, const char* items);

/// What a sort by no bits does.
void copy_arrays(Execution&, const SortSpec&, const Arrays& from, const Arrays& to);

/// Passes from digit to digit: kernels of count, `varying` and the spare arrays are theirs, how a pass runs is the derived
/// class's.
class RadixPasses : public Sorter {
public:
    void enqueue(Execution&, const Arrays& from, const Arrays& to) final;

protected:
    RadixPasses(PlanBuilder&, const SortSpec&, int digit_bits, int index_bits);

    /// KEY_BITS, HAS_VALUES, DIGIT_BITS, INDEX_BITS: as kernels_cl/sort/radix.clh has them.
    host::Defines defines() const;
    std::int64_t index_bytes() const noexcept { return index_bits_ / 8; }
    std::int64_t passes() const noexcept { return passes_; }
    std::int64_t bins() const noexcept { return std::int64_t{1} << digit_bits_; }
    std::uint32_t flip() const noexcept { return spec_.descending ? ~std::uint32_t{0} : 0; }

    /// Whether there is anything to sort: kernels are built only then.
    bool sorts() const noexcept { return passes_ > 0 && spec_.count > 0; }
    virtual void clear(Execution&, const host::Buffer& varying) = 0;
    virtual void pass(Execution&, std::uint32_t number, const Arrays& from, const Arrays& to, const Arrays& spare,
                      const host::Buffer& varying) = 0;

    SortSpec spec_;

private:
    int digit_bits_, index_bits_, passes_;
    Scratch varying_, spare_keys_, spare_values_;
};

}  // namespace parallax::engine::sort
