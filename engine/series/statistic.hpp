// A statistic of many arrays of one size, element by element.
#pragma once

#include "parallax/array.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace parallax::engine::series {

class Statistic {
public:
    virtual ~Statistic() = default;
    /// Adds a dense array of real numbers, the n-th (from 0). Several threads may add at once.
    virtual void add(const HostArray&, std::size_t n) = 0;
    /// Writes the state to a new file and returns its path: `stem` with an ending, `number` in it where it must be another one.
    virtual std::filesystem::path save(const std::filesystem::path& stem, std::size_t number) = 0;
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
