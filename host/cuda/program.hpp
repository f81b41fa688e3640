// Programs of one context: built from text, or from the binary that an earlier build left in the cache.
#pragma once

#include "cuda/api.hpp"
#include "cuda/compiler.hpp"
#include "parallax/host/built_kernel.hpp"
#include "program/recent_programs.hpp"

#include <optional>

namespace parallax::host::cuda {

class CudaContext;
class PrimaryContext;

struct KernelLimits {
    /// Bytes of each argument; empty where the driver (before CUDA 12.4) does not tell.
    std::optional<std::vector<std::size_t>> arguments;
    std::size_t work_group = 1;
    std::uint64_t local_memory = 0;
    std::uint64_t spilled = 0;
};

/// A module, unloaded with the last kernel of it. Refers to the primary context only, so that a context may keep it.
struct BuiltProgram {
    explicit BuiltProgram(std::shared_ptr<const PrimaryContext> owner) : primary(std::move(owner)) {}
    ~BuiltProgram();
    BuiltProgram(const BuiltProgram&) = delete;
    BuiltProgram& operator=(const BuiltProgram&) = delete;

    std::shared_ptr<const PrimaryContext> primary;
    CUmodule module = nullptr;
    std::string file, hash, log;
    std::string_view origin;   ///< "built" or "disk"
    double seconds = 0;
};

class CudaKernel final : public BuiltKernel {
public:
    CudaKernel(std::shared_ptr<CudaContext>, std::shared_ptr<const BuiltProgram>, CUfunction, std::string name);
    const std::string& name() const noexcept override { return name_; }
    std::size_t max_work_group() const override { return limits_.work_group; }
    std::uint64_t local_memory() const override { return limits_.local_memory; }
    std::uint64_t spilled() const override { return limits_.spilled; }
    const KernelLimits& limits() const noexcept { return limits_; }
    CUfunction handle() const noexcept { return function_; }
    const CudaContext& context() const noexcept { return *context_; }

private:
    std::shared_ptr<CudaContext> context_;
    std::shared_ptr<const BuiltProgram> program_;
    CUfunction function_;
    std::string name_;
    KernelLimits limits_;
};

class CudaProgram final : public Program {
public:
    CudaProgram(std::shared_ptr<CudaContext> context, std::shared_ptr<const BuiltProgram> built, bool reused)
        : context_(std::move(context)), built_(std::move(built)), reused_(reused) {}
    std::unique_ptr<Kernel> kernel(const std::string& name) override;
    const std::string& build_log() const noexcept override { return built_->log; }
    std::string_view origin() const noexcept override { return reused_ ? "memory" : built_->origin; }
    double build_seconds() const noexcept override { return reused_ ? 0 : built_->seconds; }
    const std::string& hash() const noexcept override { return built_->hash; }

private:
    std::shared_ptr<CudaContext> context_;
    std::shared_ptr<const BuiltProgram> built_;
    bool reused_;
};

class ProgramStore {
public:
    std::shared_ptr<Program> get(const std::shared_ptr<CudaContext>&, const ProgramText&);

private:
    RecentPrograms<BuiltProgram> programs_;
};

}  // namespace parallax::host::cuda
