// Rows of an image shared out among threads: blocks of rows, one a thread, so that results do not depend on their number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace parallax::engine::hologram {

/// body(first, end) on consecutive ranges of [0, rows). `threads` 0: as many as the processor runs. `body` must not throw.
template <class Body>
void for_rows(std::int64_t rows, int threads, const Body& body) {
    const std::int64_t wanted = threads > 0 ? threads : static_cast<std::int64_t>(std::thread::hardware_concurrency());
    const std::int64_t count = std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(rows, 1));
    std::vector<std::jthread> helpers;
    helpers.reserve(static_cast<std::size_t>(count - 1));
    for (std::int64_t i = 1; i < count; ++i)
        helpers.emplace_back([&body, first = rows * i / count, end = rows * (i + 1) / count] { body(first, end); });
    body(std::int64_t{0}, rows / count);
}

}  // namespace parallax::engine::hologram
