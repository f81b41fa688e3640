// Hou's method on the device, by any sort.
#pragma once

#include "algorithms/sort/sort.hpp"
#include "core/plan.hpp"

#include <functional>
#include <memory>
#include <string>

namespace parallax::engine::box_count {

using MakeSorter = std::function<std::unique_ptr<sort::Sorter>(PlanBuilder&, const sort::SortSpec&)>;

/// Empty: it can be counted so.
std::string why_not_hou(const Problem&);
std::unique_ptr<Plan> make_hou_plan(PlanBuilder&, const Problem&, int group, const MakeSorter&);

}  // namespace parallax::engine::box_count
