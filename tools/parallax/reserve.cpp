#include "reserve.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

namespace parallax::cli {

namespace {

constexpr std::size_t block_bytes = 32 << 10;   // less than what malloc asks of the system by itself
std::array<std::atomic<void*>, 32> blocks{};

/// `new` tries again when this returns.
void give_a_block() {
    const std::size_t kept = std::uncaught_exceptions() > 0 ? 0 : blocks.size() / 2;
    for (std::size_t i = blocks.size(); i > kept; --i) {
        if (void* const block = blocks[i - 1].exchange(nullptr)) {
            std::free(block);
            return;
        }
    }
    throw std::bad_alloc();
}

}   // namespace

void keep_reserve() {
    for (std::atomic<void*>& block : blocks) block = std::malloc(block_bytes);
    std::set_new_handler(give_a_block);
}

}   // namespace parallax::cli
