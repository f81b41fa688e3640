// A statistic of many arrays of one size, element by element.
#pragma once

#include "parallax/array.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace parallax::engine::series {

/// By which a saved state is known again.
struct Seal {
    std::string hash;
    std::size_t frame_bytes =
        0;   ///< of each array, where the file holds them one behind the other; 0: the file is hashed as it is
};
/// Of the first `count` arrays of a file. Throws IoError for a file that ends before.
std::string seal_of(const std::filesystem::path&, std::size_t frame_bytes, std::size_t count);
/// Of one array: of its pieces of 65,536 values, so that it need not be in memory as a whole.
class FrameSeal {
public:
    void add(const float* values, std::size_t count);
    std::string finish() const;
    static constexpr std::size_t piece = 65536;

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
    /// What seal_of() gives for what save() has written, of `count` arrays.
    virtual Seal seal(const std::filesystem::path& saved, std::size_t count) const;
    /// Adds a saved state that contains `count` arrays, the first of those that were added.
    virtual void merge(const std::filesystem::path&, std::size_t count) = 0;
    /// NaN where a value was NaN, as NumPy has it.
    virtual void result(float* to) const = 0;
};

/// The result has the same bits whatever the order, the threads that add and how states are split; -0 counts as 0.
/// "mean": sums in fixed point of 128 bits, from 2^-72 to 2^54: exact for integers and, to 2^-72, for anything else. Values must
/// stay below 2^40 in size; Error otherwise. "min", "max". "median": needs every value: arrays go to a file beside `stem`, 4
/// bytes an element.
std::unique_ptr<Statistic> make_statistic(const std::string& how, std::size_t elements, const std::filesystem::path& stem);

/// Bytes of memory and of disk that a statistic of `items` arrays takes.
struct StatisticCost {
    std::uint64_t memory = 0, disk = 0;
};
StatisticCost cost_of(const std::string& how, std::uint64_t elements, std::uint64_t items);

}  // namespace parallax::engine::series
