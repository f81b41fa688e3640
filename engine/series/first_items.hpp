// What a watch begins with: the first files that came, and those that come while none of these can be used.
#pragma once

#include <cstddef>
#include <type_traits>

#include "parallax/host/error.hpp"
#include "series/series.hpp"

namespace parallax::engine::series {

/// Waits for the first file. Throws ConfigError where none has come when the watch ends.
Items first_items(const PreparedSeries&);

/// For a watch of whose items none can be used, for this reason: those that may have been taken while they were being written are
/// waited for, and with `"on_error": "continue"` others beside files that cannot be read. Adds what comes to the list. False where
/// nothing is waited for, or the watch ends: then the error stands.
bool wait_for_others(const PreparedSeries&, const Error&);

/// What `make` gives for the number of the first item that it can be made of; where others may not fail, of the first one. Throws
/// what it throws for the last that was tried.
template <class Make>
std::invoke_result_t<Make, std::size_t> of_first_item(const PreparedSeries& series, Make make) {
    const bool watches = series.options.watch.has_value();
    for (std::size_t item = 0;;) {
        try {
            return make(item);
        } catch (const DeviceError&) {
            throw;
        } catch (const Error& error) {
            if ((watches || series.items.for_each.continue_on_error) && ++item < series.items.size()) continue;
            if (!watches || !wait_for_others(series, error)) throw;
            item = 0;
        }
    }
}

}   // namespace parallax::engine::series
