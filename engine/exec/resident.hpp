// A pipeline whose arrays are on the device together, again and again: upload, steps, download, on queues of their own, so that
// the transfers of one item hide behind the work of another.
//
//   upload queue     [up 2][up 3]      [up 4]
//   work queue       [steps 1 ][steps 2 ][steps 3 ]
//   download queue             [down 1]  [down 2]
//
// Kernels, spectra and workspace are made when shapes are new and then used by all items. Belongs to one thread.
#pragma once

#include "core/session.hpp"
#include "exec/device_work.hpp"
#include "exec/memory_plan.hpp"
#include "exec/pools.hpp"
#include "exec/step_report.hpp"

#include <memory>
#include <vector>

namespace parallax::engine {

class Resident {
public:
    enum Mode {
        one_at_a_time,   ///< one queue; each step ends before the next begins, and memory goes back as soon as it can
        overlapped       ///< submit() several before finish() of the first
    };
    Resident(Engine&, Mode);
    ~Resident();
    Resident(const Resident&) = delete;
    Resident& operator=(const Resident&) = delete;

    /// Asked before each command of a step, and one at a time also while a step runs; true ends submit() with CancelledError.
    void cancel_when(std::function<bool()> cancelled) { session_.cancel_when(std::move(cancelled), mode_ == one_at_a_time); }
    /// Host memory for inputs that the device reaches fast; safe in any thread.
    HostArray host_array(const ArrayDesc& desc) { return host_.make(desc); }
    /// Has memory ready for the outputs of an item, so that submit() need not wait for it; safe in any thread.
    void stock(const Resolved&) noexcept;
    /// An input that all items share goes up once and stays.
    void keep(std::size_t input, const HostArray&, Profiler&);

    /// Makes plans for these shapes, unless those are there. One at a time, all fits together, as plan_memory() found;
    /// overlapped, throws UnsupportedError for an item that does not, and chooses variants.
    void plan(const Resolved&, const MemoryPlan& how = {});
    /// Of the plans in use: an input that submit() reads slab by slab.
    bool in_slabs(std::size_t input) const;
    /// Plans and enqueues. When it throws, nothing of the work is under way any more.
    void submit(DeviceWork&);
    /// Waits for the oldest submitted work that is not finished and leaves its arrays and records in it.
    void finish(DeviceWork&);

    /// Bytes on the device once submit() has one such item, and no other: for who wants to know before anything is read. Its plans
    /// are those in use.
    std::uint64_t bytes_with_one(const Resolved&) const;

    /// Gives back memory that no work in flight uses.
    void trim();

    /// Of the plans in use.
    const std::vector<StepReport>& steps() const noexcept { return steps_; }
    std::uint64_t peak_bytes() const noexcept { return peak_; }

private:
    struct Planned;

    void enqueue(DeviceWork&, DeviceWork::Flight&);
    void upload(DeviceWork&, DeviceWork::Flight&, std::map<Source, DeviceArray>&);
    using DeviceArrays = std::map<std::string, DeviceArray, std::less<>>;
    /// Leaves what comes down, and inputs that stay.
    void compute(DeviceWork&, DeviceWork::Flight&, std::map<Source, DeviceArray>&);
    DeviceArrays compute_step(DeviceWork&, DeviceWork::Flight&, std::size_t step, DeviceArrays inputs);
    /// One that all items share.
    bool is_kept(const DeviceArray&) const;
    void download(DeviceWork&, DeviceWork::Flight&, std::map<Source, DeviceArray>&);
    void compute_slabs(DeviceWork&, DeviceWork::Flight&, std::size_t step);
    void take_records(DeviceWork&, DeviceWork::Flight&, std::size_t step);
    void note_memory(const Pipeline&);
    /// Waits for all queues; whether that went well.
    bool drain() noexcept;
    /// After an error: what the work lent to commands stays until they have ended.
    void abandon(const DeviceWork&, const DeviceWork::Flight&);

    Engine& engine_;
    Mode mode_;
    Session session_;
    std::unique_ptr<host::Queue> up_, down_;   ///< overlapped only
    HostPool host_;
    DevicePool transfers_;                     ///< arrays that go up or come down: lent until the item is finished
    DevicePool locals_;                        ///< arrays between steps: the work queue goes in order, so they change hands in it
    std::map<std::size_t, DeviceArray> kept_;
    std::shared_ptr<const Planned> planned_;
    std::vector<StepReport> steps_;
    std::vector<Stage> compiled_;              ///< since the last submit
    std::uint64_t peak_ = 0;
};

}  // namespace parallax::engine
