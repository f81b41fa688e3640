// Pieces of what `parallax plan` says, for one device and for several.
#pragma once

#include "core/plan.hpp"
#include "core/session.hpp"
#include "job/prepare.hpp"

namespace parallax::engine {

Json describe_array(const std::string& name, const std::string& from, const ArrayDesc&);
/// Inputs of the job and arrays that its steps make.
Json describe_arrays(const Prepared&);
/// A step by what was chosen for it and built.
Json describe_step(const Step&, const ResolvedStep&, const Choice&, const PlanBuilder&);

}  // namespace parallax::engine
