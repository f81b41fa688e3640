// A library of others as a variant of an algorithm of ours.
#pragma once

#include "core/algorithm.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace parallax::engine::peers {

/// Why not, or an empty string.
using WhyNot = std::function<std::string(const Problem&)>;

/// A row of a library: runs where it is asked for by name. `open` throws UnsupportedError where the library is not there.
Variant peer_variant(std::string name, std::string summary, host::Backend, WhyNot why_not, std::function<void()> open,
                     decltype(Variant::plan) plan);

/// Empty, or that `library` has nothing for this type.
std::string only(const std::string& library, const ArrayDesc&, const std::vector<ElementType>& types);

}  // namespace parallax::engine::peers
