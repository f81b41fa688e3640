#include "cuda/graph.hpp"

#include "cuda/context.hpp"
#include "cuda/launch.hpp"

#include <utility>

namespace parallax::host::cuda {
namespace {

/// What a graph is instantiated from; the instance needs it no more.
class Description {
public:
    explicit Description(const Driver& driver) : driver_(driver) { good_ = driver_.graph_create(&graph_, 0) == CUDA_SUCCESS; }
    ~Description() {
        if (graph_ != nullptr) driver_.graph_destroy(graph_);
    }
    Description(const Description&) = delete;
    Description& operator=(const Description&) = delete;

    void add(PreparedLaunch& launch) {
        if (!good_ || launch.empty) return;
        CUDA_KERNEL_NODE_PARAMS_v1 node{};
        node.func = launch.kernel;
        node.gridDimX = launch.groups[0];
        node.gridDimY = launch.groups[1];
        node.gridDimZ = launch.groups[2];
        node.blockDimX = launch.local[0];
        node.blockDimY = launch.local[1];
        node.blockDimZ = launch.local[2];
        node.kernelParams = launch.arguments.data();   // copied
        CUgraphNode added = nullptr;
        good_ = driver_.graph_add_kernel_node(&added, graph_, &last_, last_ != nullptr ? 1 : 0, &node) == CUDA_SUCCESS;
        last_ = added;
    }
    CUgraphExec instantiate() const {
        CUgraphExec instance = nullptr;
        const bool made = good_ && driver_.graph_instantiate(&instance, graph_, 0) == CUDA_SUCCESS;
        return made ? instance : nullptr;
    }

private:
    const Driver& driver_;
    CUgraph graph_ = nullptr;
    CUgraphNode last_ = nullptr;
    bool good_ = false;
};

}  // namespace

Graph::Graph(std::shared_ptr<CudaContext> context, CUgraphExec graph) : context_(std::move(context)), graph_(graph) {}

Graph::~Graph() {
    if (const Current current = context_->current_or_gone()) context_->driver().graph_exec_destroy(graph_);
}

void Graph::launch(CUstream stream, std::string_view step) {
    check(context_->driver(), context_->driver().graph_launch(graph_, stream), "cuGraphLaunch", step);
}

std::unique_ptr<Graph> make_graph(const std::shared_ptr<CudaContext>& context, std::span<const Launch> launches) {
    const Driver& driver = context->driver();
    if (!driver.has_graphs() || launches.empty()) return nullptr;
    const Current current = context->current(launches.front().step);
    Description description(driver);
    for (const Launch& launch : launches) {
        PreparedLaunch prepared = prepare(launch, *context);
        description.add(prepared);
    }
    const CUgraphExec graph = description.instantiate();
    return graph != nullptr ? std::make_unique<Graph>(context, graph) : nullptr;
}

}  // namespace parallax::host::cuda
