// Rows of the state on their way from rank to rank: device -> pinned memory -> neighbour's pinned memory -> device.
#pragma once

#include "algorithms/diffusion_lb/rounds.hpp"
#include "core/part.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace parallax::engine::diffusion_lb {

/// Where a rank's own rows lie among those that it has.
struct Territory {
    Rows own;
    bool above = false, below = false;   ///< there is a neighbour

    /// Its own rows and so many of its neighbours'; at a border of the image there is nothing to add.
    Rows wider(std::int64_t by) const noexcept { return {above ? own.from - by : own.from, below ? own.to + by : own.to}; }
};

/// An exchange goes in two halves, so that a queue can compute meanwhile what neighbours need not know:
///
///     halo.collect(run, steps, turn, count, need);   // after the rows that neighbours need
///     ...                                            // launches of the other rows
///     halo.exchange(run);
///     halo.spread(run, steps, turn, count, need);
class Halo {
public:
    /// `need`: the largest of the needs.
    Halo(PlanBuilder&, const Layout&, const Territory&, int moving, std::size_t population_bytes, std::int64_t need_rows,
         bool with_edges);

    void collect(distributed::PartRun&, const Steps&, int turn, std::int64_t count, const HaloRows&);
    void exchange(distributed::PartRun&);
    void spread(distributed::PartRun&, const Steps&, int turn, std::int64_t count, const HaloRows&);

    int exchanges() const noexcept { return static_cast<int>(journeys_.size()); }
    std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }
    /// When the queue has finished: seconds from the collected rows to their neighbours' rows on the device, of all exchanges,
    /// and those of them in which the device had nothing to do. Negative: the driver gives no times.
    struct Seconds { double all = -1, idle = -1; };
    Seconds seconds() const;

private:
    struct Segment;
    std::vector<Segment> segments(Execution&, const Steps&, int turn, std::int64_t count, const HaloRows&) const;
    void launch(Execution&, host::Kernel&, const char* stage, const host::Buffer& travelling, const std::vector<Segment>&,
                bool outgoing);

    Layout layout_;
    Territory territory_;
    std::int64_t moving_;
    std::size_t population_bytes_, side_bytes_;
    std::unique_ptr<host::Kernel> collect_, spread_;
    host::Buffer leaving_, arriving_;                             // [side][segments]
    std::shared_ptr<host::PinnedMemory> out_, in_;
    std::size_t message_bytes_ = 0;                               // of this exchange, to each neighbour
    std::uint64_t bytes_sent_ = 0;
    host::Event collected_;
    struct Journey { host::Event collected, computed, arrived, spread; };
    std::vector<Journey> journeys_;
};

}  // namespace parallax::engine::diffusion_lb
