#include "api/impl.hpp"
#include "core/algorithm_json.hpp"
#include "job/load.hpp"
#include "opencl/borrow.hpp"
#include "parallax/device.hpp"
#include "parallax/host/enumerate.hpp"
#include "support/warnings.hpp"
#if defined(PARALLAX_HAS_CUDA)
#include "cuda/borrow.hpp"
#endif

#include <fmt/format.h>

namespace parallax {

const char* version() noexcept { return PARALLAX_VERSION; }

Devices devices() {
    const host::Inventory inventory = host::enumerate();
    Devices list;
    for (const auto& device : inventory.devices) list.devices.push_back(device->info());
    for (const host::PlatformProblem& problem : inventory.problems) {
        list.problems.push_back(fmt::format("{}: {}. {}", problem.platform, problem.reason, problem.hint));
    }
    return list;
}

std::shared_ptr<const host::Device> find_device(const std::string& spec) {
    const host::DeviceSelector selector = spec.empty() ? host::DeviceSelector() : host::DeviceSelector::parse_spec(spec);
    return selector.select(host::enumerate(selector)).device;
}

host::ContextOptions context_options(const EngineOptions& options) { return {host::ProgramCache::open(options.cache_folder)}; }

void Engine::Impl::say(LogLevel level, const std::string& text) const noexcept {
    if (!log) return;
    try {
        log(level, text);
    } catch (...) {   // a message is never worth the work
    }
}

namespace {

std::shared_ptr<Engine::Impl> opened(std::shared_ptr<host::Context> context, const EngineOptions& options, const char* whose) {
    auto impl = std::make_shared<Engine::Impl>(std::move(context), options);
    if (options.log)
        for (const std::string& warning : host::take_warnings()) impl->say(LogLevel::warning, warning);
    const DeviceInfo& info = impl->engine.device();
    impl->say(LogLevel::info, fmt::format("{}{} ({}, driver {})", whose, info.name, info.platform, info.driver));
    return impl;
}

}  // namespace

Engine::Engine(const EngineOptions& options) {
    const host::FloatEnvironment ours;   // of the driver's threads, too
    impl_ = opened(find_device(options.device)->open(context_options(options)), options, "opened ");
}

Engine Engine::from_opencl(_cl_context* context, _cl_device_id* device, const EngineOptions& options) {
    return Engine(Made{}, opened(host::opencl::borrow_context(context, device, context_options(options)), options,
                                 "the host application's context on "));
}

Engine Engine::from_cuda([[maybe_unused]] CUctx_st* context, [[maybe_unused]] const EngineOptions& options) {
#if defined(PARALLAX_HAS_CUDA)
    return Engine(Made{}, opened(host::cuda::borrow_context(context, context_options(options)), options,
                                 "the host application's context on "));
#else
    throw UnsupportedError("this build has no CUDA backend", {"configure with PARALLAX_CUDA=ON and the CUDA toolkit's headers"});
#endif
}

const DeviceInfo& Engine::device() const { return impl_->engine.device(); }
std::uint64_t Engine::allocated() const { return impl_->engine.context().allocated(); }

std::uint64_t Engine::trim() const { return impl_->engine.plans().trim(); }
std::string Engine::lost() const { return impl_->engine.context().failure(); }

std::string Engine::algorithms_json() const {
    Json all = Json::array();
    for (const engine::Algorithm& algorithm : impl_->engine.registry().algorithms()) all.push_back(engine::to_json(algorithm));
    return all.dump();
}

}  // namespace parallax
