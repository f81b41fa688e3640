#include "peers/peers.hpp"

#include "peers/cub.hpp"
#include "peers/fftw.hpp"
#include "peers/npp.hpp"
#include "peers/opencv.hpp"
#include "peers/tbb.hpp"

namespace parallax::engine::peers {

void add_to(std::vector<Algorithm>& algorithms) {
    for (Algorithm& algorithm : algorithms) {
#ifdef PARALLAX_HAS_CUDA
        add_cub(algorithm);
#endif
#ifdef PARALLAX_HAS_NPP
        add_npp(algorithm);
#endif
        add_opencv(algorithm);
        add_tbb(algorithm);
        add_fftw(algorithm);
    }
}

}  // namespace parallax::engine::peers
