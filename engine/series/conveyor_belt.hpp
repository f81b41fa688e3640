// A device of a series with its threads: what the conveyor's files share.
#pragma once

#include "series/conveyor.hpp"

#include <semaphore>

namespace parallax::engine::series {

struct Conveyor::Belt {
    Belt(Engine& e, int n) : engine(e), number(n), resident(e, Resident::overlapped), tickets(0) {}

    Engine& engine;
    int number;
    Resident resident;
    ConveyorShape shape;
    bool pins_ahead = false;   ///< for items that are not there yet
    std::counting_semaphore<most_tickets> tickets;
    std::unique_ptr<Channel<WorkPtr>> decoded;
    std::atomic<int> reading{0};
    std::atomic<bool> lost{false};

    // Guarded by Conveyor::mutex_.
    std::size_t items = 0;
    double kernel_seconds = 0;
    std::uint64_t first_start = 0, last_end = 0;
};

}  // namespace parallax::engine::series
