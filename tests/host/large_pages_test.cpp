#include "support/large_pages.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

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
