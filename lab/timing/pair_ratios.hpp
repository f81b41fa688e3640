// The ratios of each value of one list to each of another, in order, without making all of them.
#pragma once

#include <cstddef>
#include <vector>

namespace parallax::engine::compare {

class PairRatios {
public:
    /// Sorted lists of values that are not below 0, none of them empty; they must outlive it.
    PairRatios(const std::vector<double>& of, const std::vector<double>& to) noexcept : of_(of), to_(to) {}

    std::size_t size() const noexcept { return of_.size() * to_.size(); }
    /// The value that would stand at place k, from 0, if all were sorted: in time that grows with the lengths of the lists.
    double at(std::size_t k) const noexcept;
    /// Of an even number the mean of the middle two.
    double median() const noexcept;

private:
    std::size_t not_above(double most) const noexcept;

    const std::vector<double>&of_, &to_;
};

}   // namespace parallax::engine::compare
