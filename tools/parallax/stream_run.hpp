// `parallax run` of a job on frames that come through a pipe.
#pragma once

#include "commands.hpp"

namespace parallax::cli {

/// Throws ConfigError for options that name folders: a job of frames has no files of its own.
void refuse_folders(const JobOptions&);

int run_stream(const SeriesRunOptions&, const JobOptions&, const engine::Job&, const engine::Registry&,
               const std::function<bool()>& cancelled);

}   // namespace parallax::cli
