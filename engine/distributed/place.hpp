// A rank's part, made on its device.
#pragma once

#include "core/part.hpp"
#include "job/work.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace parallax::engine::distributed {

/// A part with all that it runs on. Members in the order in which they may go.
struct Place {
    /// Makes the part; all ranks call it together, and take the variant and the policy that rank 0 chooses.
    Place(Engine&, const Prepared&, Communicator&);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// The memory that the part works in.
    std::size_t workspace_bytes() const;
    void allocate();

    Session session;
    std::unique_ptr<host::Queue> transfers;
    std::unique_ptr<PlanBuilder> builder;
    std::vector<host::Buffer> workspace;   ///< after allocate()
    std::unique_ptr<Part> part;
    Choice choice;
    double plan_seconds = 0;
};

}  // namespace parallax::engine::distributed
