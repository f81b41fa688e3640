#include "cuda/program.hpp"

#include "cuda/context.hpp"
#include "parallax/host/error.hpp"
#include "program/key.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace parallax::host::cuda {
namespace {

// The driver is told no length: what it reads must say itself where it ends. A CUBIN is an ELF file, PTX a string.
bool is_sound(const std::vector<unsigned char>& binary) {
    constexpr std::array<unsigned char, 4> elf{0x7f, 'E', 'L', 'F'};
    if (binary.size() > 64 && std::equal(elf.begin(), elf.end(), binary.begin())) return true;
    return !binary.empty() && binary.back() == 0;
}

/// The driver's compiler at work: on PTX always, on a CUBIN only to say why not.
CUresult load_module(const Driver& driver, CUmodule* module, const std::vector<unsigned char>& binary, std::string& log) {
    std::array<char, 4096> text{};
    std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    // The size is passed in place of a pointer.
    std::array<void*, 2> values{text.data(), reinterpret_cast<void*>(text.size() - 1)};
    const CUresult status =
        driver.module_load_data_ex(module, binary.data(), static_cast<unsigned>(options.size()), options.data(), values.data());
    log = trim(text.data());
    return status;
}

std::shared_ptr<const BuiltProgram> build(const CudaContext& context, const ProgramText& source, const std::string& key) {
    const auto start = std::chrono::steady_clock::now();
    const Driver& driver = context.driver();
    const std::string step = "build " + source.files.front();
    auto built = std::make_shared<BuiltProgram>(context.primary());
    built->file = source.files.front();
    built->hash = key;
    const Current current = context.current(step);
    ProgramCache* const cache = context.cache();
    std::string refusal;
    if (cache != nullptr) {
        if (const auto binary = cache->load(key); !binary.empty()) {
            if (!is_sound(binary) || load_module(driver, &built->module, binary, refusal) != CUDA_SUCCESS) {
                built->module = nullptr;
                cache->forget(key);
            }
            built->origin = "disk";
        }
    }
    if (built->module == nullptr) {
        CompiledProgram compiled = context.compiler().compile(source);
        const CUresult status = load_module(driver, &built->module, compiled.binary, refusal);
        if (status != CUDA_SUCCESS) {
            built->module = nullptr;
            if (!refusal.empty() && !is_sticky(status)) throw BuildError(source.files.front(), 0, source.option_line(), refusal);
            fail(driver, "cuModuleLoadDataEx", status, step);
        }
        built->origin = "built";
        built->log = std::move(compiled.log);
        if (cache != nullptr) cache->store(key, compiled.binary);
    }
    built->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return built;
}

// For the hint where a name is wrong; empty before CUDA 12.4.
std::vector<std::string> kernel_names(const Driver& driver, CUmodule module) {
    unsigned count = 0;
    if (driver.module_get_function_count == nullptr || driver.module_enumerate_functions == nullptr ||
        driver.func_get_name == nullptr || driver.module_get_function_count(&count, module) != CUDA_SUCCESS || count == 0)
        return {};
    std::vector<CUfunction> functions(count);
    if (driver.module_enumerate_functions(functions.data(), count, module) != CUDA_SUCCESS) return {};
    std::vector<std::string> names;
    for (const CUfunction function : functions)
        if (const char* name = nullptr; driver.func_get_name(&name, function) == CUDA_SUCCESS && name != nullptr)
            names.emplace_back(name);
    return names;
}

std::optional<std::vector<std::size_t>> arguments_of(const Driver& driver, CUfunction function) {
    if (driver.func_get_param_info == nullptr) return std::nullopt;
    std::vector<std::size_t> sizes;
    std::size_t offset = 0, size = 0;
    while (driver.func_get_param_info(function, sizes.size(), &offset, &size) == CUDA_SUCCESS) sizes.push_back(size);
    return sizes;
}

std::size_t function_value(const Driver& driver, CUfunction function, CUfunction_attribute what, std::size_t otherwise) {
    int value = 0;
    return driver.func_get_attribute(&value, what, function) == CUDA_SUCCESS && value >= 0 ? static_cast<std::size_t>(value)
                                                                                           : otherwise;
}

}  // namespace

BuiltProgram::~BuiltProgram() {
    if (module == nullptr) return;
    if (const Current current = primary->current_or_gone()) primary->driver().module_unload(module);
}

CudaKernel::CudaKernel(std::shared_ptr<CudaContext> context, std::shared_ptr<const BuiltProgram> program, CUfunction function,
                       std::string name)
    : context_(std::move(context)), program_(std::move(program)), function_(function), name_(std::move(name)) {
    const Driver& driver = context_->driver();
    limits_.arguments = arguments_of(driver, function_);
    limits_.work_group =
        function_value(driver, function_, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, context_->info().max_work_group);
    limits_.local_memory = function_value(driver, function_, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0);
    limits_.spilled = function_value(driver, function_, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0);
}

std::unique_ptr<Kernel> CudaProgram::kernel(const std::string& name) {
    const Driver& driver = context_->driver();
    const std::string step = fmt::format("get kernel {} of {}", name, built_->file);
    const Current current = context_->current(step);
    CUfunction function = nullptr;
    const CUresult status = driver.module_get_function(&function, built_->module, name.c_str());
    if (status != CUDA_SUCCESS) {
        const auto names = status == CUDA_ERROR_NOT_FOUND ? kernel_names(driver, built_->module) : std::vector<std::string>();
        fail(driver, "cuModuleGetFunction", status, step,
             names.empty() ? std::string() : fmt::format("the program has: {}", fmt::join(names, ", ")));
    }
    return std::make_unique<CudaKernel>(context_, built_, function, name);
}

std::shared_ptr<Program> ProgramStore::get(const std::shared_ptr<CudaContext>& context, const ProgramText& source) {
    const std::string key =
        program_key(source.text, fmt::format("{}\n{}", source.option_line(), context->compiler().version()), context->info());
    const auto [built, reused] = programs_.get(key, [&] { return build(*context, source, key); });
    return std::make_shared<CudaProgram>(context, built, reused);
}

}  // namespace parallax::host::cuda
