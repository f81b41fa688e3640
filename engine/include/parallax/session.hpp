// One thread's work on an engine: arrays, algorithms, jobs in memory.
#pragma once

#include "parallax/algorithms.hpp"
#include "parallax/call.hpp"
#include "parallax/engine.hpp"
#include "parallax/held.hpp"
#include "parallax/job.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace parallax {

/// A call that was submitted. It may go before the call has ended.
class PARALLAX_API Pending {
public:
    struct Impl;

    Pending() = default;
    explicit Pending(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
    explicit operator bool() const noexcept { return impl_ != nullptr; }
    /// Complete when every command of the call is: other calls may wait for it.
    const Event& done() const;
    /// Output arrays are there at once, for calls that wait for done(); an input that is no output is not.
    const std::map<std::string, Array>& arrays() const;
    /// Waits. Throws DeviceError if a command failed. Once.
    Result get();

private:
    std::shared_ptr<Impl> impl_;
};

/// Plans that are being made in the background. The session may be used meanwhile: calls wait for the plan at hand.
class PARALLAX_API Preparation {
public:
    struct Impl;

    explicit Preparation(std::unique_ptr<Impl>);
    Preparation(Preparation&&) noexcept;
    Preparation& operator=(Preparation&&) = delete;
    /// Ends after the plan at hand, and waits for that.
    ~Preparation();
    /// 0 to 1.
    double progress() const;
    bool done() const;
    /// Throws what a plan threw.
    void wait();
    void cancel();

private:
    detail::Held<std::unique_ptr<Impl>> impl_;
};

/// Holds queues, plans and workspace. For one thread at a time; threads take a session each.
///
/// Example: one hologram, from the caller's memory into the caller's memory
///   Session session(engine);
///   Result result = session.hologram({.wavelength_nm = 532, .pixel_um = 1.4, .distance_um = 1000},
///                                    View(pixels, {{'y', 480}, {'x', 640}}));
///   session.download(result.array("amplitude"), MutableView(amplitude, {{'y', 480}, {'x', 640}}));
class PARALLAX_API Session : public AlgorithmCalls<Session> {
public:
    struct Impl;

    explicit Session(const Engine&);
    /// Commands go to the host application's queue, between those that it enqueues itself. The queue is retained; it may be out
    /// of order or without profiling. Throws ConfigError where it is not of the engine's context and device.
    static Session from_queue(const Engine&, _cl_command_queue*);
    /// The same for a CUDA stream (null: the default stream), which must outlive the session.
    static Session from_stream(const Engine&, CUstream_st*);
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    /// Waits for what was submitted.
    ~Session();

    const Engine& engine() const;
    /// Lets go of plans and workspace of this session; what is under way keeps what it uses until it has ended.
    void trim();
    /// Launches of a call that comes again with the same arrays start together where the driver can (CUDA: graphs), if they are
    /// short: a report then has one row for several, "histogram/count, map". true: each launch by itself, with its own time.
    void time_each_launch(bool each);

    // Arrays. What is not said to be asynchronous has happened when it returns.

    /// Uninitialised, dense.
    Array allocate(const ArrayDesc&);
    Array upload(const View&);
    HostArray download(const Array&);
    void download(const Array&, const MutableView&);
    /// Page-locked memory, which transfers at full speed and overlaps with work. It keeps its context alive.
    HostArray pinned(const ArrayDesc&);
    /// Asynchronous; on queues of their own, beside the work, unless the session is on the host application's queue. The memory
    /// must live until the event is complete. They keep the order of the calls: write() begins when the calls before it that use
    /// the array have ended, read() when those that make it have, and a call waits for the writes and reads before it of its
    /// arrays. What is on other arrays goes on meanwhile. Between sessions, and for memory that goes by handles of other
    /// contexts, `wait` says the order.
    Event write(const Array&, const View&, std::span<const Event> wait = {});
    Event read(const Array&, const MutableView&, std::span<const Event> wait = {});

    // Memory and events of the host application.

    /// An OpenCL buffer, retained. Offset and strides of the layout may leave gaps: as an input it is packed on the device,
    /// as an output it must be dense. Throws ConfigError where the layout does not lie within the buffer.
    Array wrap(_cl_mem*, const ArrayDesc& layout);
    /// Device memory at a CUDA address, which must outlive the array.
    Array wrap_cuda(std::uint64_t address, const ArrayDesc& layout);
    /// Retained.
    Event wrap(_cl_event*);

    // Algorithms; AlgorithmCalls has one function for each: session.hologram(...), session.fft(...)

    Result run(const Call&);
    /// Enqueues and returns; calls of a session run in the order of submission. Memory of inputs must live until done().
    Pending submit(const Call&);
    /// The same from a struct of parallax/algorithms.hpp: session.submit(BoxFilterParameters{.radius = {4}}, {{"image", frame}}).
    template <class P>
        requires requires { P::algorithm; }
    Pending submit(const P& parameters, Inputs inputs = {}, CallOptions options = {}) {
        return submit(call(parameters, std::move(inputs), std::move(options)));
    }
    /// Compiles, allocates and warms up what the calls need, in a thread of its own, so that the first frame is as fast as the
    /// others. Of inputs that are views only descriptions matter: View(desc, nullptr). `progress` is called by that thread;
    /// it neither throws nor waits for its own preparation (ConfigError), nor destroys it.
    Preparation prepare(std::vector<Call>, std::function<void(double done)> progress = {});

    // Jobs in memory: no file is read or written.

    /// `inputs` are the job's inputs by name, each in the place of what the job would read: the job's `spacing_um` and
    /// `non_finite` hold for them, and where the array still has what `page`, `volume`, `channel` or `grey` would have chosen of
    /// a file, it is taken as it is, with a warning. Outputs are what the job names as outputs, wherever it says that they go.
    /// Throws ConfigError, IoError for values that "non_finite": "reject" does not want, and what a call throws.
    Result run(const Job&, const Inputs&, const CancelToken& = CancelToken::none());

private:
    struct Made {};
    Session(Made, std::shared_ptr<Impl>);
    detail::Held<std::shared_ptr<Impl>> impl_;
};

}  // namespace parallax
