// Frames around an item, for a running background: each is read once and kept while it may be wanted.
#pragma once

#include "parallax/array.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace parallax::engine::series {

/// The items [first, end) of `count` that a window around one takes: `window` / 2 on each side, fewer at the ends.
inline std::pair<std::size_t, std::size_t> taken_around(std::size_t item, std::int64_t window, std::size_t count) {
    const auto half = static_cast<std::size_t>(window / 2);
    return {item - std::min(item, half), std::min(count, item + half + 1)};
}

struct Frame {
    HostArray array;
    std::string contents;   ///< of its files, by their hashes
};

class Neighbours {
public:
    /// `read` delivers the frame of an item; `kept` frames stay in memory.
    Neighbours(std::function<Frame(std::size_t item)> read, std::size_t items, std::size_t kept)
        : read_(std::move(read)), items_(items), kept_(kept) {}

    /// The item and `window` / 2 on each side; fewer at the ends of the series. Throws what `read` throws.
    std::vector<Frame> around(std::size_t item, std::int64_t window);

    std::size_t items() const noexcept { return items_; }

private:
    std::shared_future<Frame> frame(std::size_t item);

    std::function<Frame(std::size_t)> read_;
    std::size_t items_, kept_;
    std::mutex mutex_;
    struct Kept {
        std::shared_future<Frame> frame;
        std::list<std::size_t>::iterator place;   ///< in `recent_`
    };
    std::map<std::size_t, Kept> frames_;
    std::list<std::size_t> recent_;   ///< last used at the back
};

}  // namespace parallax::engine::series
