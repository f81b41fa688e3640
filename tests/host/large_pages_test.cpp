#include "support/large_pages.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

using parallax::host::LargePages;

TEST_CASE("large pages begin at their boundary, hold what was asked for, and are not made for little") {
    CHECK(LargePages::make(0) == nullptr);
    CHECK(LargePages::make(std::size_t{1} << 20) == nullptr);
    CHECK(LargePages::make(SIZE_MAX) == nullptr);
    CHECK(LargePages::make(SIZE_MAX / 2) == nullptr);   // more than there are addresses
    for (const std::size_t bytes : {std::size_t{4} << 20, (std::size_t{4} << 20) + 1, std::size_t{16} << 20}) {
        const auto pages = LargePages::make(bytes);
        if (!pages) continue;   // a system without them
        CHECK(reinterpret_cast<std::uintptr_t>(pages->data()) % (std::size_t{2} << 20) == 0);
        REQUIRE(pages->bytes() >= bytes);
        std::memset(pages->data(), 1, pages->bytes());
    }
}

#if defined(__linux__)
TEST_CASE("large pages are there when they are made: a driver that pins them clears none under its lock") {
    const auto pages = LargePages::make(std::size_t{16} << 20);
    if (!pages) return;   // a system without them
    const auto small = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> resident(pages->bytes() / small);
    REQUIRE(::mincore(pages->data(), pages->bytes(), resident.data()) == 0);
    for (std::size_t at = 0; at < pages->bytes(); at += std::size_t{2} << 20) CHECK((resident[at / small] & 1) == 1);
}
#endif
