#include "peers/peers.hpp"

#include "core/plan.hpp"
#include "parallax/host/error.hpp"
#include "registry/registry.hpp"
#include "peers/cub.hpp"
#include "peers/fftw.hpp"
#include "peers/row.hpp"
#include "peers/npp.hpp"
#include "peers/opencv.hpp"
#include "peers/tbb.hpp"

#include <algorithm>
#include <initializer_list>

namespace parallax::engine::peers {

namespace {

/// The row of a library of NVIDIA's that this build is without. Studies name it on every machine: there it is refused with the
/// reason.
[[maybe_unused]] void add_absent(Algorithm& algorithm, const std::string& library,
                                 std::initializer_list<std::string_view> algorithms) {
    if (std::find(algorithms.begin(), algorithms.end(), algorithm.name) == algorithms.end()) return;
    const std::string reason = "this build is without it (install the CUDA toolkit and build again)";
    algorithm.variants.push_back(peer_variant(
        library, "for comparison; " + reason, host::Backend::cuda, [reason](const Problem&) { return reason; }, [] {},
        [library, reason](PlanBuilder&, const Problem&, const Policy&) -> std::unique_ptr<Plan> {
            throw UnsupportedError(library, {reason});
        }));
}

}  // namespace

void add_to(std::vector<Algorithm>& algorithms) {
    for (Algorithm& algorithm : algorithms) {
#ifdef PARALLAX_HAS_CUDA
        add_cub(algorithm);
#else
        add_absent(algorithm, "cub", {"reduce", "scan", "sort", "box_count", "histogram"});
#endif
#ifdef PARALLAX_HAS_NPP
        add_npp(algorithm);
#else
        add_absent(algorithm, "npp", {"box_filter"});
#endif
        add_opencv(algorithm);
        add_tbb(algorithm);
        add_fftw(algorithm);
    }
}

}  // namespace parallax::engine::peers

namespace parallax::engine {

Registry registry_with_peers() {
    std::vector<Algorithm> all = all_algorithms();
    peers::add_to(all);
    return Registry(std::move(all));
}

}  // namespace parallax::engine
