// `parallax run` of a job on frames that come through a pipe.
#pragma once

#include "commands.hpp"

namespace parallax::cli {

int run_stream(const SeriesRunOptions&, const JobOptions&, const engine::Job&, const engine::Registry&,
               const std::function<bool()>& cancelled);

}   // namespace parallax::cli
