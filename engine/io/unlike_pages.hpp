// Pages that are no one array.
#pragma once

#include "parallax/host/error.hpp"

namespace parallax::io {

/// What info() and read() throw of them; ReadOptions::pages takes some that are alike.
struct UnlikePages : IoError {
    using IoError::IoError;
};

}   // namespace parallax::io
