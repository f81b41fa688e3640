#include "support/octets.hpp"

#include "seed.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

using parallax::Json;
using parallax::host::octets_of_text;
using parallax::host::text_of_octets;

namespace {

bool is_json_text(const std::string& text) {
    try {
        return Json::parse(Json(text).dump()).get<std::string>() == text;   // throws at what is no UTF-8
    } catch (const Json::exception&) {
        return false;
    }
}

}  // namespace

TEST_CASE("bytes as text: UTF-8 stays as it is") {
    for (const char* const text :
         {"", "a.tif", "\xc3\xa9t\xc3\xa9", "e\xcc\x81", "\xe2\x82\xac", "\xf0\x9f\x94\xac", "\xee\x80\x80"}) {
        CHECK(text_of_octets(text) == text);
        CHECK(octets_of_text(text) == text);
    }
}

TEST_CASE("bytes as text: any bytes come back, and no two become the same") {
    const auto seed = static_cast<unsigned>(parallax::tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    // Pieces of characters, whole ones, ones of those that stand for bytes, and any bytes.
    const std::string pieces[] = {"a",
                                  "\xff",
                                  "\xfe",
                                  "\xc3",
                                  "\xa9",
                                  "\xc3\xa9",
                                  "\xee\xbe\x80",
                                  "\xee\xbf\xbf",
                                  "\xee",
                                  "\xbe",
                                  "\xbf",
                                  "\xed\xa0\x80",
                                  "\xc0\xaf",
                                  "\xf4\x90\x80\x80",
                                  "\xef\xbf\xbd",
                                  "\xf0\x9f\x94\xac",
                                  "\xe0\x80\xaf",
                                  "\xf0\x80\x80\x80"};
    std::map<std::string, std::string> seen;
    for (int draw = 0; draw < 20000; ++draw) {
        std::string bytes;
        for (unsigned i = random() % 8; i > 0; --i)
            bytes += random() % 4 == 0 ? std::string(1, static_cast<char>(random())) : pieces[random() % std::size(pieces)];
        const std::string text = text_of_octets(bytes);
        REQUIRE(is_json_text(text));
        REQUIRE((octets_of_text(text) == bytes));
        const auto [other, fresh] = seen.emplace(text, bytes);
        REQUIRE((fresh || other->second == bytes));
    }
}

TEST_CASE("bytes as text: every value of a document") {
    const Json document{{"a", "x\xff"}, {"b", {{{"c", "\xfe"}}, 3, "plain"}}};
    const Json text = parallax::host::with_octets_as_text(document);
    CHECK(Json::parse(text.dump()) == text);
    CHECK(parallax::host::with_text_as_octets(text) == document);
}
