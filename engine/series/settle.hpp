// What a step asks to be found in the data (finding.hpp) is found once for the whole series, in its first item that can be
// computed, and kept in the manifest: an item that is computed later, in another process or on another device gets the same.
#pragma once

#include "exec/device_work.hpp"
#include "series/series.hpp"

namespace parallax::engine::series {

/// Puts into the parameters of every step that asks for it what the manifest has, or what `engine` finds now. Of several shards
/// that begin together the first to write has found it. The result says what it was, and what there was to warn of. Throws what
/// the step throws.
void settle(PreparedSeries&, Engine& engine, SeriesResult&);

/// Warns of an item that has been read and has too little of what was found in another one: it gets the same all the same. Said
/// of arrays that come from files; what a step before makes is on the device.
void hold_against_found(const PreparedSeries&, DeviceWork&);

}  // namespace parallax::engine::series
