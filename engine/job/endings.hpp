// Which files can hold an array, by the endings of their names.
#pragma once

#include "job/job.hpp"

namespace parallax::engine {

/// Throws ConfigError where the output's file cannot hold such an array.
void check_format(const OutputSpec&, const ArrayDesc&);
/// The same for what is known of it beside its shape: its channels may have more names than the file can hold.
void check_channel_names(const OutputSpec&, const ArrayDesc&, const Metadata&);

}  // namespace parallax::engine
