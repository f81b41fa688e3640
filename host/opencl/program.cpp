#include "opencl/program.hpp"

#include "opencl/child_build.hpp"
#include "opencl/context.hpp"
#include "opencl/errors.hpp"
#include "opencl/loader.hpp"
#include "opencl/pocl_cache.hpp"
#include "opencl/probe.hpp"
#include "opencl/verdict.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/implementation.hpp"
#include "program/build_log.hpp"
#include "program/key.hpp"
#include "program/lock.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

namespace parallax::host::opencl {
namespace {

std::string log_of(cl_program program, cl_device_id device) {
    std::size_t size = 0;
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string log(size, '\0');
    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) != CL_SUCCESS) return {};
    return trim(log);
}

std::vector<unsigned char> binary_of(cl_program program) {
    std::size_t size = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS || size == 0) return {};
    std::vector<unsigned char> binary(size);
    unsigned char* place = binary.data();
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, static_cast<void*>(&place), nullptr) != CL_SUCCESS)
        return {};
    return binary;
}

cl::Program build_from_text(const ClContext& context, const ProgramText& source) {
    const std::string step = "build " + source.files.front();
    const char* text = source.text.data();
    const std::size_t size = source.text.size();
    cl_int status = CL_SUCCESS;
    const cl::Program program(clCreateProgramWithSource(context.handle(), 1, &text, &size, &status));
    check(status, "clCreateProgramWithSource", step);
    const cl_device_id device = context.device();
    const cl_int built = clBuildProgram(program(), 1, &device, source.options.c_str(), nullptr, nullptr);
    if (built == CL_SUCCESS) return program;
    std::string log = log_of(program(), device);
    if (is_pocl(context.info()))
        if (const std::string trouble = pocl_cache_trouble(); !trouble.empty()) log += (log.empty() ? "" : "\n") + trouble;
    if (built != CL_BUILD_PROGRAM_FAILURE && built != CL_INVALID_BUILD_OPTIONS && log.empty())
        fail("clBuildProgram", built, step);
    const LogPlace place = first_error(log, source.text, source.files);
    throw BuildError(place.file, place.line, source.options, log);
}

// Empty where the driver does not want its own binary any more.
cl::Program build_from_binary(const ClContext& context, const std::vector<unsigned char>& binary, const std::string& options) {
    const cl_device_id device = context.device();
    const unsigned char* data = binary.data();
    const std::size_t size = binary.size();
    cl_int accepted = CL_SUCCESS, status = CL_SUCCESS;
    cl::Program program(clCreateProgramWithBinary(context.handle(), 1, &device, &size, &data, &accepted, &status));
    if (status != CL_SUCCESS || accepted != CL_SUCCESS) return {};
    if (clBuildProgram(program(), 1, &device, options.c_str(), nullptr, nullptr) != CL_SUCCESS) return {};
    return program;
}

struct FromBinary {
    cl::Program program;
    std::vector<unsigned char> binary;
};

// Empty where there is no sound entry, or the driver does not want it.
FromBinary load(const ClContext& context, const ProgramText& source, const std::string& key) {
    ProgramCache* const cache = context.cache();
    if (cache == nullptr) return {};
    auto binary = cache->load(key);
    if (binary.empty()) return {};
    cl::Program program = build_from_binary(context, binary, source.options);
    if (program() == nullptr) {
        cache->forget(key);
        return {};
    }
    return {std::move(program), std::move(binary)};
}

// By a child, unless one has compiled it before or there is none; empty where it is to be built here. Throws UnsupportedError for
// what has ended a child, now or before: then this process would have ended.
FromBinary build_by_child(const ClContext& context, const ProgramText& source, const std::string& key) {
    ProgramCache* const cache = context.cache();
    const std::string tried = "tried-" + key;   // where there is no binary
    const auto stop = [&](const std::string& reason) {
        refuse(source.files.front(), source.files.front(), source.options, reason);
    };
    if (const auto verdict = known_verdict(cache, tried)) {
        if (!verdict->empty()) stop(*verdict);
        return {};
    }
    ChildBuild result = build_in_child(context.place(), source);
    if (result.outcome == ChildBuild::Outcome::lost)
        stop(result.lasting ? keep_failure(cache, tried, result.reason, result.took_s) : result.reason);
    if (result.outcome != ChildBuild::Outcome::built) return {};
    cl::Program program = result.binary.empty() ? cl::Program() : build_from_binary(context, result.binary, source.options);
    if (program() == nullptr) {
        keep_sound(cache, tried);
    } else if (cache != nullptr) {
        cache->store(key, result.binary);
        cache->forget(tried);   // where it had failed before
    }
    return {std::move(program), std::move(result.binary)};
}

void check_not_ended(const char* call, const std::string& doing) {
    if (drivers_have_ended())
        throw DeviceError(call, 0, "", doing,
                          "the process is ending, and its OpenCL driver has ended before the object that computes: compute "
                          "before main() returns, or on the native device");
}

std::shared_ptr<const BuiltProgram> build(const ClContext& context, const ProgramText& source, const std::string& key) {
    check_not_ended("clBuildProgram", "build " + source.files.front());
    const auto start = std::chrono::steady_clock::now();
    auto built = std::make_shared<BuiltProgram>();
    built->file = source.files.front();
    built->hash = key;
    built->options = source.options;
    built->origin = "disk";
    FromBinary found = load(context, source, key);
    if (found.program() == nullptr) {
        ProgramCache* const cache = context.cache();
        const BuildLock alone(cache, key);
        if (alone.held()) found = load(context, source, key);   // another process may have built it meanwhile
        if (found.program() == nullptr) {
            built->origin = "built";
            found = build_by_child(context, source, key);
        }
        if (found.program() == nullptr) {
            found = {build_from_text(context, source), {}};
            if (cache != nullptr)
                if (const auto binary = binary_of(found.program()); !binary.empty()) cache->store(key, binary);
        }
    }
    built->program = std::move(found.program);
    if (context.place().at_launch) built->binary = std::move(found.binary);
    built->log = log_of(built->program(), context.device());
    built->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return built;
}

std::string kernel_names(cl_program program) {
    std::size_t size = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &size) != CL_SUCCESS) return {};
    std::string names(size, '\0');
    if (clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, names.data(), nullptr) != CL_SUCCESS) return {};
    return trim(names);
}

template <class T>
T kernel_value(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, T otherwise) {
    T value{};
    return clGetKernelWorkGroupInfo(kernel, device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

// Mesa's rusticl (22.3) answers with the width of a sub-group, 32, and runs groups of 1024 all the same.
std::size_t work_group_limit(cl_kernel kernel, const ClContext& context) {
    const std::size_t of_device = context.info().max_work_group;
    const auto reported = kernel_value<std::size_t>(kernel, context.device(), CL_KERNEL_WORK_GROUP_SIZE, of_device);
    const auto multiple = kernel_value<std::size_t>(kernel, context.device(), CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 1);
    return reported == multiple && contains_nocase(context.info().platform, "rusticl") ? of_device : reported;
}

// What others say of private memory are the sizes of arrays, wherever those are.
std::uint64_t spilled_bytes(cl_kernel kernel, const ClContext& context) {
    if (!is_nvidia(context.info())) return 0;
    return kernel_value<cl_ulong>(kernel, context.device(), CL_KERNEL_PRIVATE_MEM_SIZE, 0);
}

}  // namespace

// rusticl (22.3) counts each local array twice, and runs kernels by half of what it says; from 25 on it counts once, as others
// do. PoCL 6 says 0 of every kernel.
std::uint64_t local_memory_use(cl_kernel kernel, const ClContext& context) {
    const auto reported = kernel_value<cl_ulong>(kernel, context.device(), CL_KERNEL_LOCAL_MEM_SIZE, 0);
    if (!contains_nocase(context.info().platform, "rusticl")) return reported;
    constexpr int counts_twice = 22;   // Mesa's version, with which the driver's begins
    return std::atoi(context.info().driver.c_str()) <= counts_twice ? reported / 2 : reported;
}

ClKernel::ClKernel(std::shared_ptr<ClContext> context, std::shared_ptr<const BuiltProgram> built, cl::Kernel kernel,
                   std::string name)
    : context_(std::move(context)), built_(std::move(built)), kernel_(std::move(kernel)), name_(std::move(name)) {
    cl_uint arguments = 0;
    check(clGetKernelInfo(handle(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr), "clGetKernelInfo",
          "ask about kernel " + name_);
    const cl_device_id device = context_->device();
    limits_.arguments = arguments;
    limits_.work_group = work_group_limit(handle(), *context_);
    limits_.required = kernel_value<std::array<std::size_t, 3>>(handle(), device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, {});
    // A kernel compiled for one shape runs in that shape; NVIDIA (driver 580) reports what its registers would allow without it.
    if (const std::size_t shape = limits_.required[0] * limits_.required[1] * limits_.required[2]; shape > 0)
        limits_.work_group = shape;
    limits_.local_memory = local_memory_use(handle(), *context_);
    limits_.spilled = spilled_bytes(handle(), *context_);
}

std::unique_ptr<Kernel> ClProgram::kernel(const std::string& name) {
    // rusticl compiles where a kernel is made, with what it has given back by then.
    if (contains_nocase(context_->info().platform, "rusticl")) check_not_ended("clCreateKernel", fmt::format("get kernel {} of {}", name, built_->file));
    cl_int status = CL_SUCCESS;
    cl::Kernel kernel(clCreateKernel(handle(), name.c_str(), &status));
    if (status != CL_SUCCESS)
        fail("clCreateKernel", status, fmt::format("get kernel {} of {}", name, built_->file),
             status == CL_INVALID_KERNEL_NAME ? fmt::format("the program has: {}", kernel_names(handle())) : std::string());
    auto made = std::make_unique<ClKernel>(context_, built_, std::move(kernel), name);
    // One that is of one size of work-groups is met while it is planned, when another variant can still take its place.
    if (const auto& size = made->limits().required; size[0] != 0 && context_->place().at_launch)
        meet_first_launch(*context_, *built_, name, size, size);
    return made;
}

std::shared_ptr<Program> ProgramStore::get(const std::shared_ptr<ClContext>& context, const ProgramText& source) {
    const std::string key = program_key(source.text, source.options, context->info());
    const auto [built, reused] = programs_.get(key, [&] { return build(*context, source, key); });
    return std::make_shared<ClProgram>(context, built, reused);
}

std::shared_ptr<const BuiltProgram> ProgramStore::find(cl_program program) const {
    return programs_.find([&](const BuiltProgram& built) { return built.program() == program; });
}

}  // namespace parallax::host::opencl
