#include "registry/registry.hpp"

namespace parallax::engine {

#define PARALLAX_ALGORITHM(name) Algorithm make_##name();
#include "algorithms.inc"
#undef PARALLAX_ALGORITHM

std::vector<Algorithm> all_algorithms() {
    std::vector<Algorithm> all;
#define PARALLAX_ALGORITHM(name) all.push_back(make_##name());
#include "algorithms.inc"
#undef PARALLAX_ALGORITHM
    return all;
}

}  // namespace parallax::engine
