// Gaps in local memory against bank conflicts. Between two stages the work-items of a line exchange their points through local
// memory, which has 32 banks: where several of those that run together come to one bank, they wait for each other. Results of a
// stage lie a radix apart, or in runs, so that most would. Unused floats between runs send them to other banks; which gaps do
// it best depends on the radices, and each exchange has its own.
#pragma once

#include "algorithms/fft/line.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parallax::engine::fft {

/// `floats` unused ones after every 2^run_log2 places. None of them: no gaps.
struct Gaps {
    int floats = 0, run_log2 = 2;

    int place(int i) const noexcept { return i + (i >> run_log2) * floats; }
    /// Floats of a line of this many places.
    int padded(int places) const noexcept { return place(places - 1) + 1; }
};

/// For each exchange of the line, the one behind the first stage first: the gaps with the fewest conflicts, counted over all
/// work-items, that fit `line.padded` floats; none where they would cost more in addresses than they bring.
std::vector<Gaps> exchange_gaps(const Line&, Order);

/// How often local memory is visited in such an exchange, there and back, for each time that no conflict would need: 2 is the least.
double visits(const Line&, Order, std::size_t exchange, const Gaps&);

/// As kernels take them (FFT_GAPS in kernels_cl/fft/stockham.clh).
std::uint32_t packed(const std::vector<Gaps>&) noexcept;

}  // namespace parallax::engine::fft
