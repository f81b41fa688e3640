#include "series/statistic.hpp"

#include "parallax/host/error.hpp"
#include "series/extreme.hpp"
#include "series/mean.hpp"
#include "series/median.hpp"

#include <fmt/format.h>

namespace parallax::engine::series {

std::unique_ptr<Statistic> make_statistic(const std::string& how, std::size_t elements, const std::filesystem::path& stem) {
    if (how == "mean") return std::make_unique<Mean>(elements);
    if (how == "median") return std::make_unique<Median>(elements, stem);
    if (how == "min") return std::make_unique<Extreme>(elements, Extreme::Which::least);
    if (how == "max") return std::make_unique<Extreme>(elements, Extreme::Which::greatest);
    throw Error(fmt::format("arrays of a series are combined by mean, median, min or max, not by \"{}\"", how));
}

StatisticCost cost_of(const std::string& how, std::uint64_t elements, std::uint64_t items) {
    if (how == "mean") return {elements * Mean::bytes_of_element, elements * Mean::bytes_of_state};
    if (how == "median") return {Median::memory, elements * sizeof(float) * items};
    return {elements * sizeof(float), elements * sizeof(float)};
}

}  // namespace parallax::engine::series
