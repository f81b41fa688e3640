// A call as Python states it: inputs, options, and what is kept until it has ended.
#pragma once

#include "arrays.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace parallax::python {

/// What a call takes: an Array, or NumPy's memory with what its axes mean.
struct PyView {
    AnyArray memory;
    ArrayDesc desc;
};

Inputs inputs_of(const nb::dict&);
Call call_of(const std::string& algorithm, const std::string& parameters, const nb::dict& inputs,
             const std::vector<std::string>& outputs, const nb::dict& into, const std::string& variant, const std::string& policy,
             const nb::list& wait, const CancelToken&);

nb::dict dict_of(const std::map<std::string, Array>&);

/// A submitted call with the memory that it reads.
struct PyPending {
    nb::dict inputs;              // goes last, and with the lock
    Unlocked<Pending> pending;
    PyPending(Pending p, nb::dict i) : inputs(std::move(i)), pending(std::move(p)) {}
    PyPending(PyPending&&) = default;
    ~PyPending() {
        if (!pending || pending.born != forks) return;
        const LockReleased released;
        try {
            pending.done().wait();   // Python may take the inputs' memory next
        } catch (const std::exception&) {   // nobody is left to be told
        }
    }
};

}   // namespace parallax::python
