// support/sanitizers.hpp says what the compiler was told, GCC or clang.
#include "support/sanitizers.hpp"

#include <doctest/doctest.h>

#include <string_view>

namespace {

constexpr bool asked(std::string_view name) {
    constexpr std::string_view flags = PARALLAX_TEST_CXX_FLAGS;
    const std::size_t list = flags.find("-fsanitize=");
    return list != flags.npos && flags.find(name, list) != flags.npos;
}

}   // namespace

TEST_CASE("a sanitizer in the compiler's flags is known to the code") {
    CHECK(bool(PARALLAX_ADDRESS_SANITIZER) == asked("address"));
    CHECK(bool(PARALLAX_THREAD_SANITIZER) == asked("thread"));
}
