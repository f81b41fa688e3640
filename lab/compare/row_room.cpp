#include "compare/row_room.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "parallax/host/error.hpp"

namespace parallax::engine::compare {

namespace {

/// Of a report: a JSON file has at most 2,000,000 values and 64 MiB (job/load.cpp), of some 30 bytes each.
constexpr std::size_t most_values = 1'600'000;
/// Of a row beside its samples: up to 200 in the reports of the studies that come with the program, and its speeds against others.
constexpr std::size_t of_row = 200, of_speed = 10;
/// A few runs: five lists and three.
constexpr std::size_t least_samples = 40;

}   // namespace

RowRoom room_of_rows(std::size_t rows, std::size_t devices, const Study& study) {
    const std::size_t fixed = of_row + of_speed * devices, least = fixed + least_samples;
    if (rows * least > most_values)
        throw ConfigError("/cases", fmt::format("{} rows on {} device{}", rows, devices, devices == 1 ? "" : "s"),
                          fmt::format("at most {}: a report of more could not be read", most_values / least),
                          "fewer points or variants, or a study's cases in two files");
    const std::size_t half = (most_values / std::max<std::size_t>(rows, 1) - fixed) / 2;
    const auto rounds = static_cast<std::size_t>(study.sampling.rounds);
    return {half / rounds, half / rounds};
}

}   // namespace parallax::engine::compare
