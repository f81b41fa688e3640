// Programs of one context: built from text, or from the binary that an earlier build left in the cache.
#pragma once

#include "opencl/api.hpp"
#include "opencl/first_launch.hpp"
#include "parallax/host/built_kernel.hpp"
#include "program/recent_programs.hpp"

#include <array>

namespace parallax::host::opencl {

class ClContext;

struct KernelLimits {
    std::size_t arguments = 0;
    std::size_t work_group = 1;
    std::array<std::size_t, 3> required{};   ///< reqd_work_group_size, zeros if the kernel has none
    std::uint64_t local_memory = 0;
    std::uint64_t spilled = 0;
};

struct BuiltProgram {
    cl::Program program;
    std::string file, hash, options, log;
    std::vector<unsigned char> binary;   ///< for children, where the driver compiles at launches, too; else empty
    std::string_view origin;             ///< "built" or "disk"
    double seconds = 0;
    mutable FirstLaunches launches;
};

class ClKernel final : public BuiltKernel {
public:
    ClKernel(std::shared_ptr<ClContext>, std::shared_ptr<const BuiltProgram>, cl::Kernel, std::string name);
    const std::string& name() const noexcept override { return name_; }
    std::size_t max_work_group() const override { return limits_.work_group; }
    std::uint64_t local_memory() const override { return limits_.local_memory; }
    std::uint64_t spilled() const override { return limits_.spilled; }
    const KernelLimits& limits() const noexcept { return limits_; }
    cl_kernel handle() const noexcept { return kernel_(); }
    const ClContext& context() const noexcept { return *context_; }
    const BuiltProgram& program() const noexcept { return *built_; }

private:
    std::shared_ptr<ClContext> context_;
    std::shared_ptr<const BuiltProgram> built_;
    cl::Kernel kernel_;
    std::string name_;
    KernelLimits limits_;
};

class ClProgram final : public Program {
public:
    ClProgram(std::shared_ptr<ClContext> context, std::shared_ptr<const BuiltProgram> built, bool reused)
        : context_(std::move(context)), built_(std::move(built)), reused_(reused) {}
    std::unique_ptr<Kernel> kernel(const std::string& name) override;
    const std::string& build_log() const noexcept override { return built_->log; }
    std::string_view origin() const noexcept override { return reused_ ? "memory" : built_->origin; }
    double build_seconds() const noexcept override { return reused_ ? 0 : built_->seconds; }
    const std::string& hash() const noexcept override { return built_->hash; }
    cl_program handle() const noexcept { return built_->program(); }

private:
    std::shared_ptr<ClContext> context_;
    std::shared_ptr<const BuiltProgram> built_;
    bool reused_;
};

/// Bytes that a work-group of a built kernel takes, with what the driver adds, as far as its word is worth.
std::uint64_t local_memory_use(cl_kernel, const ClContext&);

/// What to build. `files` serve to read the log, the main file first.
struct ProgramText {
    std::vector<std::string> files;
    std::string text;
    std::string options;
};

class ProgramStore {
public:
    std::shared_ptr<Program> get(const std::shared_ptr<ClContext>&, const ProgramText&);
    /// Null where it is none of these.
    std::shared_ptr<const BuiltProgram> find(cl_program) const;

private:
    RecentPrograms<BuiltProgram> programs_;
};

}  // namespace parallax::host::opencl
