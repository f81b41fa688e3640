// A statistic of many arrays of one size, element by element.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "parallax/array.hpp"
#include "series/items.hpp"

namespace parallax::engine::series {

/// By which a saved state is known again.
struct Seal {
    std::string hash;
    std::size_t frame_bytes =
        0;   ///< of each array, where the file holds them one behind the other; 0: the file is hashed as it is
};
/// Of the first `count` arrays of a file. Throws IoError for a file that ends before.
std::string seal_of(const std::filesystem::path&, std::size_t frame_bytes, std::size_t count);
/// Of one array: of its pieces, so that it need not be in memory as a whole. What is added is whole pieces, but for the last
/// time.
class FrameSeal {
public:
    void add(const void* bytes, std::size_t count);
    std::string finish() const;
    static constexpr std::size_t piece = 262144;   ///< bytes

private:
    std::string hashes_;
};

class Statistic {
public:
    virtual ~Statistic() = default;
    /// Adds a dense array of real numbers, the n-th (from 0). Several threads may add at once.
    virtual void add(const HostArray&, std::size_t n) = 0;
    /// Writes the state to a new file and returns its path: `stem` with an ending, `number` in it where it must be another one.
    virtual std::filesystem::path save(const std::filesystem::path& stem, std::size_t number) = 0;
    /// Whether save() writes what has been summed up; else it is in a file of frames, which grows with each that is added.
    virtual bool is_summed_up() const { return true; }
    /// What seal_of() gives for what save() has written, of `count` arrays.
    virtual Seal seal(const std::filesystem::path& saved, std::size_t count) const;
    /// Adds a saved state that contains `count` arrays, the first of those that were added.
    virtual void merge(const std::filesystem::path&, std::size_t count) = 0;
    /// Of a statistic: NaN where a value was NaN, as NumPy has it.
    virtual void result(float*) const {}
    /// Of a stack: frames [first, first + count) in the order wanted, whose i-th is the order[i]-th of those that were merged.
    virtual void read(const std::vector<std::size_t>&, std::size_t, std::size_t, std::byte*) const {}
};

/// Whether it keeps the arrays themselves, one behind the other, rather than what they have in common.
inline bool is_stack(const std::string& how) { return how == "stack"; }
/// What `items` arrays become: their shape in f32; of a stack an axis in front, in their own type: of times ("n" where there is
/// one already), or of slices where they are pages of a volume.
ArrayDesc combined(const std::string& how, const ArrayDesc& item, std::int64_t items, const Spread&);

/// The result has the same bits whatever the order, the threads that add and how states are split; -0 counts as 0.
/// "mean": sums in fixed point, from 2^-150 to 2^54: exact for integers and every f32. Values must stay below 2^40 in size; Error
/// otherwise. "min", "max". "median": needs every value: arrays go to a file beside `stem`, 4
/// bytes an element. "stack": every array, in a file too.
std::unique_ptr<Statistic> make_statistic(const std::string& how, const ArrayDesc& item, const std::filesystem::path& stem);

/// Whether the state of any of them is saved in files that end so.
bool is_ending_of_state(const std::string&);

/// Bytes of memory and of disk that a statistic of `items` arrays takes.
struct StatisticCost {
    std::uint64_t memory = 0, disk = 0;
};
StatisticCost cost_of(const std::string& how, const ArrayDesc& item, std::uint64_t items);

}   // namespace parallax::engine::series
