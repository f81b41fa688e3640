// The order of a session's work, whose transfers have queues of their own.
//
//   write(a)   submit(f: a -> b)   read(b)   write(a)       as called
//   uploads    [write a]              [write a]             waits for f, which reads a
//   work              [f      ]
//   downloads                  [read b]                     waits for f, which writes b
#pragma once

#include "core/device_array.hpp"
#include "parallax/host/place.hpp"
#include "parallax/host/queue.hpp"

#include <vector>

namespace parallax {

/// A command waits for those that were called before it and touch the same memory, where one of the two writes there; for no
/// other, so that transfers go on beside work on other arrays. Not for several threads at once.
class Order {
public:
    /// `fails_alone`: of a device whose commands may fail by themselves. Order is all that is waited for: what failed or was stopped
    /// may be written over.
    explicit Order(bool fails_alone) : fails_alone_(fails_alone) {}

    enum class Use { read, write };

    /// Makes what `queue` gets from now on wait for what other queues still do with the array.
    void before(host::Queue& queue, const DeviceArray&, Use);
    /// What `queue` does with the array ends with `done`.
    void after(const host::Queue& queue, const DeviceArray&, Use, host::Event done);

private:
    struct Touch {
        host::Place place;
        Use use;
        const host::Queue* queue;
        host::Event done;
    };
    bool fails_alone_;
    std::vector<Touch> touches_;   ///< that have not ended, as far as is known
};

}  // namespace parallax
