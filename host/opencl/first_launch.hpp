// The first launch of a kernel with a size of work-groups: PoCL compiles it then, once more than when the program was built.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace parallax::host::opencl {

class ClContext;
struct BuiltProgram;

/// The launches of a program's kernels that a child has met, or need not.
class FirstLaunches {
public:
    bool known(const std::string& launch) const;
    void add(const std::string& launch);

private:
    mutable std::mutex mutex_;
    std::vector<std::string> known_;
};

/// Has a child compile for such a launch before this process does, where the driver compiles then. Throws UnsupportedError for
/// what has ended a child, now or before.
void meet_first_launch(const ClContext&, const BuiltProgram&, const std::string& kernel, const std::array<std::size_t, 3>& global,
                       const std::array<std::size_t, 3>& local);

}  // namespace parallax::host::opencl
