// What a watch begins with: the first files that came, and those that come while none of these can be used.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "parallax/host/error.hpp"
#include "series/series.hpp"

namespace parallax::engine::series {

/// Waits for the first file. Throws ConfigError where none has come when the watch ends.
Items first_items(const PreparedSeries&);

/// Calls it for one item after the other, until it does not throw; where others may not fail, for the first one alone. A watched
/// file that cannot be read (IoError) may have been taken while it was being written: until it has failed as the others do, it is
/// waited for, and with `"on_error": "continue"` others beside it. What comes is added to the list. Throws what it threw last.
void try_items(const PreparedSeries&, const std::function<void(std::size_t)>&);

/// What `make` gives for the number of the first item that it can be made of.
template <class Make>
std::invoke_result_t<Make, std::size_t> of_first_item(const PreparedSeries& series, Make make) {
    std::optional<std::invoke_result_t<Make, std::size_t>> made;
    try_items(series, [&](std::size_t item) { made = make(item); });
    return std::move(*made);
}

}   // namespace parallax::engine::series
