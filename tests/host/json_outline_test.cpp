// JSON of any length: what is beyond its bounds is found before values are made of it, in a time that grows with the text.
#include "support/json_outline.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace parallax;

namespace {

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

std::string nested(std::size_t levels) { return repeated("[", levels) + repeated("]", levels); }

}  // namespace

TEST_CASE("an outline: the first fault, with its key, or none") {
    const JsonBounds bounds{.levels = 3, .members = 2, .values = 8, .keys_once = true};
    const auto excess = [&](const std::string& text) {
        const auto fault = fault_of(text, bounds);
        return fault ? static_cast<int>(fault->excess) : -1;
    };
    CHECK(excess("[[[]]]") == -1);
    CHECK(excess("[[[[]]]]") == static_cast<int>(JsonExcess::levels));
    CHECK(excess(R"({"a": 1, "b": 2})") == -1);
    CHECK(excess(R"({"a": 1, "b": 2, "c": 3})") == static_cast<int>(JsonExcess::members));
    CHECK(excess("[1, 2, 3, 4, 5, 6, 7]") == -1);
    CHECK(excess("[1, 2, 3, 4, 5, 6, 7, 8]") == static_cast<int>(JsonExcess::values));
    CHECK(excess(R"([{"a": 1}, {"a": 2}])") == -1);
    CHECK(fault_of(R"({"a": {"b": 1, "b": 2}})", bounds).value().key == "b");
    for (const char* wrong : {"", "[", "[1,]", "{\"a\"}", "[1e999]", "\xff"}) CHECK(excess(wrong) == -1);   // its parser says why
}

TEST_CASE("a text nested too deep for us is none, whatever stands behind") {
    CHECK(parse_shallow(nested(64)));
    CHECK_FALSE(parse_shallow(nested(65)));
    CHECK_FALSE(parse_shallow(repeated("[", 10'000'000)));
    CHECK_FALSE(parse_shallow("{} {}"));
}

/// A list of a million objects would take an hour where the time grows with the square.
TEST_CASE("lists of objects without end are read in a time that grows with the text") {
    for (const char* element : {"{},", "[],", R"({"a":{}},)"}) {
        const std::string text = "[" + repeated(element, 1'000'000) + "1]";
        const auto json = parse_shallow(text);
        REQUIRE(json);
        CHECK(json->size() == 1'000'001);
    }
}
