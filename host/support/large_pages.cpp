#include "support/large_pages.hpp"

#include <cstdint>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace parallax::host {

#if defined(__linux__)

std::unique_ptr<LargePages> LargePages::make(std::size_t bytes) noexcept {
    constexpr std::size_t page = std::size_t{2} << 20, least = 2 * page;
    if (bytes < least || bytes > SIZE_MAX - 2 * page) return nullptr;
    const std::size_t whole = (bytes + page - 1) / page * page;
    void* const all = ::mmap(nullptr, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    // From the first boundary of a page on; what lies around goes back.
    auto* const begin = static_cast<std::byte*>(all);
    const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
    if (before > 0) ::munmap(begin, before);
    if (before < page) ::munmap(begin + before + whole, page - before);
    if (::madvise(begin + before, whole, MADV_HUGEPAGE) != 0) {   // a kernel without them
        ::munmap(begin + before, whole);
        return nullptr;
    }
    // Cleared here, where threads do so side by side, and not under the lock of the driver that pins them one after another.
    auto* const there = static_cast<volatile std::byte*>(begin + before);
    for (std::size_t at = 0; at < whole; at += page) there[at] = std::byte{0};
    LargePages* const made = new (std::nothrow) LargePages(begin + before, whole);
    if (made == nullptr) ::munmap(begin + before, whole);
    return std::unique_ptr<LargePages>(made);
}

LargePages::~LargePages() {
    if (data_ != nullptr) ::munmap(data_, bytes_);
}

#else

std::unique_ptr<LargePages> LargePages::make(std::size_t) noexcept { return nullptr; }
LargePages::~LargePages() = default;

#endif

}   // namespace parallax::host
