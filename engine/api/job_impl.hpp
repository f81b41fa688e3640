#pragma once

#include "api/local.hpp"
#include "parallax/host/json.hpp"
#include "parallax/job.hpp"

namespace parallax {

struct PARALLAX_LOCAL Job::Impl {
    Json json;
};

}  // namespace parallax
