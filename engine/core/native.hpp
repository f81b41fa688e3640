// Variants that are C++ on the native device: references, and their versions on all threads.
#pragma once

#include "core/plan.hpp"

#include <functional>
#include <memory>
#include <string>

namespace parallax::engine {

/// A variant without policy that takes every problem.
Variant native_variant(std::string name, std::string summary, std::function<std::unique_ptr<Plan>(const Problem&)> plan);

}  // namespace parallax::engine
