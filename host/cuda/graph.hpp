// A chain of launches as a graph of CUDA, which the driver starts by one call.
#pragma once

#include "cuda/api.hpp"
#include "parallax/host/queue.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace parallax::host::cuda {

class CudaContext;

class Graph final : public Recording {
public:
    Graph(std::shared_ptr<CudaContext>, CUgraphExec);
    ~Graph() override;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    /// The context must be current.
    void launch(CUstream, std::string_view step);

private:
    std::shared_ptr<CudaContext> context_;
    CUgraphExec graph_;
};

/// Each launch begins when the one before it has ended. Null where the driver has no graphs, or refuses this one. Throws
/// DeviceError for what would be wrong with a launch, too.
std::unique_ptr<Graph> make_graph(const std::shared_ptr<CudaContext>&, std::span<const Launch>);

}  // namespace parallax::host::cuda
