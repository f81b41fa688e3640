// How much memory the process may still take of the machine it runs on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace parallax::host::platform {

struct MemoryRoom {
    std::uint64_t bytes = 0;   ///< 0: the system does not say
    std::string words;         ///< "1.9 GB are free on this machine", or which limit it is
};

/// The least of what is free (memory and swap), what control groups of either kind leave and what the process's own limits
/// (ulimit -d and -v) leave. It changes from one moment to the next: others take memory, too.
MemoryRoom memory_room();

/// What the process itself is allowed (--limit memory, ulimit -d and -v), where it is allowed no more than some memory.
std::optional<std::uint64_t> memory_limit();

}  // namespace parallax::host::platform
