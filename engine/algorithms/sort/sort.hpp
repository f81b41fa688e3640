// Sorting on a device, for this algorithm's variants and as a step of others.
#pragma once

#include "algorithms/sort/parameters.hpp"
#include "core/plan.hpp"

#include <memory>
#include <string>

namespace parallax::engine::sort {

/// Keys and, where the spec has them, values.
struct Arrays {
    host::Buffer keys, values;
};

/// A way of sorting, compiled for one spec. It has its scratch from the builder that made it.
class Sorter {
public:
    virtual ~Sorter() = default;
    /// `from` stays as it is; no array of `to` may overlap it.
    virtual void enqueue(Execution&, const Arrays& from, const Arrays& to) = 0;
};

/// How the lanes of a warp find equal digits: MATCH of kernels_cl/sort/rank_warp.clh.
enum class Match { any, ballot, atomics };

/// How the kernels of the radix sorts are shaped; 0 leaves a number to the device and the keys.
struct RadixShape {
    int work_group = 0;          ///< work-items that scatter a tile
    int items = 0;               ///< keys of a tile a work-item; fewer where local memory does not hold them
    int digit_bits = 0;
    int groups_per_unit = 0;     ///< work-groups for each compute unit, each with a chunk of the keys
    int count_group = 0;         ///< work-items that count
    int scan_group = 0;          ///< work-items that scan the counts of a digit
    int copies = 0;              ///< histograms in local memory while counting
    Match match = Match::atomics;   ///< by warps
    int index_bits = 0;          ///< of positions: 32 or 64; 0: 64 from 2^32 keys on
};

struct ChunksShape {
    int digit_bits = 0;          ///< 0: 11 for many keys without values, else 8
    int chunks_per_unit = 4;     ///< chunks for each compute unit
    int index_bits = 0;
};

struct BitonicShape {
    int work_group = 256;
    int block = 2048;            ///< keys in local memory
};

// Empty, or why a device or spec is refused.
std::string radix_why_not(const SortSpec&, host::Context&);
std::string radix_warp_why_not(const SortSpec&, host::Context&);
std::string onesweep_why_not(const SortSpec&, host::Context&);
std::string radix_chunks_why_not(const SortSpec&, host::Context&);
std::string bitonic_why_not(const SortSpec&, host::Context&);

/// Least significant digit first: count, scan, scatter for each digit; on any device.
std::unique_ptr<Sorter> make_radix(PlanBuilder&, const SortSpec&, const RadixShape& = {});
/// The same, ranking by warps.
std::unique_ptr<Sorter> make_radix_warp(PlanBuilder&, const SortSpec&, const RadixShape& = {});
/// Fewer than 2^32 keys: one read and one write a digit. looks: LOOKS of onesweep.cl; polls: before one work-group does all the
/// work.
std::unique_ptr<Sorter> make_onesweep(PlanBuilder&, const SortSpec&, const RadixShape& = {}, int looks = 0, int polls = 1 << 20);
/// For CPUs: a chunk of the keys for each work-group of one work-item.
std::unique_ptr<Sorter> make_radix_chunks(PlanBuilder&, const SortSpec&, const ChunksShape& = {});
/// Up to 65536 keys.
std::unique_ptr<Sorter> make_bitonic(PlanBuilder&, const SortSpec&, const BitonicShape& = {});
/// The fastest for this device and spec.
std::unique_ptr<Sorter> make_best(PlanBuilder&, const SortSpec&);

// Variants, each in the file of its technique.
Variant radix_variant();
Variant radix_warp_variant();
Variant onesweep_variant();
Variant radix_chunks_variant();
Variant bitonic_variant();
Variant threaded_variant();
Variant reference_variant();

using MakeSorter = std::function<std::unique_ptr<Sorter>(PlanBuilder&, const SortSpec&, const Policy&)>;
/// A row with what all variants of kernels have in common.
Variant sort_variant(Variant row, std::string (*why_not)(const SortSpec&, host::Context&), MakeSorter);

}  // namespace parallax::engine::sort
