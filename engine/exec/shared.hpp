// A pipeline that several devices do together: one rank's part of it, on its device. What ranks send each other is the part's own
// matter (core/part.hpp).
//
//   rank 0   rows 0 to 4095      [up][step ][down]
//   rank 1   rows 4096 to 8191   [up][step ][down]
#pragma once

#include "core/part.hpp"
#include "exec/device_work.hpp"
#include "exec/execute.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace parallax::engine {

/// Throws UnsupportedError, with the step that is in the way, for a pipeline that `ranks` devices cannot do together.
void check_divisible(const Pipeline&, int ranks);

class Shared {
public:
    /// Makes the part; all ranks call it together, and take the variant and the policy that rank 0 chooses.
    Shared(Engine&, const Resolved&, distributed::Communicator&);
    ~Shared();
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    /// Asked before each command; true ends compute() with CancelledError.
    void cancel_when(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }
    /// What this rank has of the input, for people: "rows 0 to 4095".
    std::string share() const { return part_->share(); }
    const Choice& choice() const noexcept { return choice_; }
    const PlanBuilder& builder() const noexcept { return *builder_; }
    /// The memory that the part works in.
    std::size_t workspace_bytes() const;

    /// Reads its slices of the input (DeviceWork::slices), and leaves times in the work, and on rank 0 records. The slices of the
    /// outputs that this rank has made come back.
    distributed::PartResult compute(DeviceWork&);
    /// After compute().
    Executed executed() const;

private:
    void allocate();

    // In the order in which they may go.
    Engine& engine_;
    const Resolved& resolved_;
    distributed::Communicator& ranks_;
    Session session_;
    std::unique_ptr<host::Queue> transfers_;
    std::unique_ptr<PlanBuilder> builder_;
    std::vector<host::Buffer> workspace_;
    std::unique_ptr<distributed::Part> part_;
    Choice choice_;
    double plan_seconds_ = 0;
    std::function<bool()> cancelled_;
};

}  // namespace parallax::engine
