// An opened device, shared by threads.
#pragma once

#include "parallax/device.hpp"
#include "parallax/error.hpp"
#include "parallax/handles.hpp"
#include "parallax/held.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace parallax {

class Job;
struct JobOptions;

enum class LogLevel { debug, info, warning, error };

struct EngineOptions {
    /// "gpu", "cpu", "native", an index of devices(), a part of a name, or the JSON of a job's `device`. Empty: a GPU, else a
    /// CPU; never the native device.
    std::string device = {};
    /// Where compiled programs are kept; empty: the user's cache folder, "off": in memory only. A folder that cannot be
    /// written is no error.
    std::string cache_folder = {};
    /// Called by the threads that use the engine, perhaps by several at once; it must not throw. Empty: nothing is said, ever.
    std::function<void(LogLevel, const std::string&)> log = {};
    /// Bytes of the device's memory that the engine takes at most; 0: what the device has. Beyond, allocation throws DeviceError.
    std::uint64_t memory_limit = 0;
    /// Bytes of plans that are kept for calls to come, of all sessions; 0: a quarter of the above. The plans that were not used
    /// for longest go first, and also where memory is short.
    std::uint64_t plan_memory = 0;
};

/// Copies are the same engine. It may go before its sessions and arrays.
///
/// Example:
///   parallax::Engine engine({.device = "gpu"});
///   parallax::Session session(engine);
class PARALLAX_API Engine {
public:
    struct Impl;

    /// Throws ConfigError, UnsupportedError with every device's reason, DeviceError.
    explicit Engine(const EngineOptions&);
    Engine() : Engine(EngineOptions{}) {}
    /// What `{}` alone stands for: to some compilers Engine({}) could otherwise be a copy of Engine(), too.
    enum class Defaults : bool {};
    explicit Engine(Defaults) : Engine() {}
    /// On the host application's own context; both are retained. `device` of the options is not looked at. Throws ConfigError
    /// where the context does not have the device.
    static Engine from_opencl(_cl_context*, _cl_device_id*, const EngineOptions& = {});
    /// On the host application's own CUDA context, null being the calling thread's current one. A device's primary context
    /// (the CUDA runtime's) is retained; any other must outlive the engine. Throws UnsupportedError where CUDA was not built in.
    static Engine from_cuda(CUctx_st*, const EngineOptions& = {});

    const DeviceInfo& device() const;
    /// Bytes of device memory that are in use, borrowed memory left out.
    std::uint64_t allocated() const;
    /// Lets go of the plans that no call under way uses, of all sessions; the next call that needs one makes it again. Returns
    /// the bytes of device memory that this freed. Any thread may call it.
    std::uint64_t trim() const;
    /// Empty, or why the device can no longer be trusted: arrays and sessions of before are lost, and a session that is made now
    /// is on the device opened anew, where it can be.
    std::string lost() const;
    /// Every algorithm with inputs, outputs, parameters, defaults and variants, as `parallax algorithms --json` prints it.
    std::string algorithms_json() const;

    /// Runs a job on files on this device, as `parallax run` does, a series (for_each) too: outputs appear only when all of them
    /// are complete. Returns its report as JSON; that of a series has items that failed under "failed". Throws ConfigError (with
    /// the JSON pointer of what is wrong), IoError, DeviceError, UnsupportedError, CancelledError. parallax::run() chooses the
    /// devices by the job.
    std::string run(const Job&, const JobOptions&) const;
    std::string run(const Job&) const;

    const std::shared_ptr<Impl>& impl() const { return impl_.checked(); }

private:
    struct Made {};   // two arguments: no `{}` of a caller means this one
    Engine(Made, std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
    detail::Held<std::shared_ptr<Impl>> impl_;
};

}  // namespace parallax
