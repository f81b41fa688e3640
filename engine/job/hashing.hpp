// Reports of input files, whose hashes are made beside the work: files of gigabytes take seconds.
#pragma once

#include "job/prepare.hpp"
#include "job/report.hpp"

#include <functional>
#include <future>
#include <thread>

namespace parallax::engine {

class Hashing {
public:
    /// Begins with the files of an input; is done with small ones when it returns. Throws IoError.
    Hashing(const InputSpec&, const PreparedInput&);
    /// Waits for the rest, and asks `proceed` meanwhile, which may throw to end the wait. Once. Throws IoError.
    InputReport finish(const std::function<void()>& proceed = {});

private:
    std::future<InputReport> report_;
    std::jthread thread_;   ///< asked to stop, and waited for, when nobody wants the report any more
};

}  // namespace parallax::engine
