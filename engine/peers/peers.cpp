#include "peers/peers.hpp"

#include "peers/cub.hpp"

namespace parallax::engine::peers {

void add_to(std::vector<Algorithm>& algorithms) {
#ifdef PARALLAX_HAS_CUDA
    for (Algorithm& algorithm : algorithms) add_cub(algorithm);
#else
    static_cast<void>(algorithms);
#endif
}

}  // namespace parallax::engine::peers
