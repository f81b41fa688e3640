#include "parallax/host/context.hpp"

#include "parallax/host/error.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

namespace parallax::host {

void Context::add_keeper(std::weak_ptr<MemoryKeeper> keeper) {
    const std::lock_guard lock(keepers_mutex_);
    std::erase_if(keepers_, [](const auto& known) { return known.expired(); });
    keepers_.push_back(std::move(keeper));
}

bool Context::give_back(std::uint64_t bytes) {
    std::vector<std::weak_ptr<MemoryKeeper>> keepers;
    {
        const std::lock_guard lock(keepers_mutex_);
        keepers = keepers_;
    }
    for (const auto& known : keepers)
        if (const auto keeper = known.lock(); keeper && keeper->give_back(bytes)) return true;
    return false;
}

Buffer Context::allocate_within_limit(std::size_t bytes) {
    const std::uint64_t limit = memory_limit_, used = allocated();
    if (limit != 0 && (bytes > limit || used > limit - bytes))
        throw DeviceError(
            "allocation", 0, "", fmt::format("allocate {}", human_bytes(bytes)),
            fmt::format("the engine was given {} of memory, {} are in use already; give it more, or let go of arrays",
                        human_bytes(limit), human_bytes(used)));
    return allocate_now(bytes);
}

Buffer Context::allocate(std::size_t bytes) {
    for (;;) {
        try {
            return allocate_within_limit(bytes);
        } catch (const DeviceError& error) {
            if (!error.is_shortage() || !give_back(bytes)) throw;
        }
    }
}

}  // namespace parallax::host
