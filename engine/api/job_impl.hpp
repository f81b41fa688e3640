#pragma once

#include "api/local.hpp"
#include "parallax/host/json.hpp"
#include "parallax/job.hpp"

#include <filesystem>

namespace parallax {

struct PARALLAX_LOCAL Job::Impl {
    Json json;
    std::filesystem::path file{};   ///< that it was loaded from; empty: none
};

}  // namespace parallax
