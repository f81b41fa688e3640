// How many threads and items a series has, decided before anything starts.
#pragma once

#include "series/series.hpp"

#include <algorithm>
#include <cstddef>

namespace parallax::engine::series {

constexpr std::ptrdiff_t most_tickets = 4096;

struct ConveyorShape {
    int readers = 1, writers = 1;        ///< threads: readers a device, writers in all
    int in_flight = 1;                   ///< items on a device at once
    std::size_t items_in_memory = 1;     ///< a device, at most; no more than most_tickets
};

/// What a thread does with files of an item.
struct FileWork {
    bool unpacks = false, packs = false;   ///< deflate, JPEG: it takes all of a core
    bool writes = true;                    ///< false: nothing but records comes out
};
/// Files that are shorter than what is in them are packed.
FileWork file_work_of(const PreparedSeries&);
/// Threads, where nobody says how many. Copies of files that are not packed are bound by memory, and more threads than cores get
/// in each other's way; those that pack, or read while nobody writes, are not held back. Each of the devices has readers.
ConveyorShape threads_for(int cores, FileWork, int devices);
/// Of a device for whose items plans have been made: what these take is no room for items.
ConveyorShape shape_of(const PreparedSeries&, Engine&, const RunSeriesOptions&, std::size_t devices);
/// Of so many devices those that get something to do.
constexpr std::size_t devices_used(std::size_t devices, std::size_t items) {
    return std::min(devices, std::max<std::size_t>(items, 1));
}

}  // namespace parallax::engine::series
