// Names of files as they are compared where systems write letters in unlike ways.
#include "io/name_outline.hpp"

#include "io/support.hpp"

using namespace parallax;

TEST_CASE("names: letters in another Unicode form are the same letters") {
    CHECK(io::outline_of("s\u00e9rie_0.tif") == "s*rie_0.tif");
    CHECK(io::outline_of("se\u0301rie_0.tif") == "s*rie_0.tif");
    CHECK(io::outline_of("\u1ec7.tif") == io::outline_of("e\u0323\u0302.tif"));       // two marks
    CHECK(io::outline_of("\ud55c") == io::outline_of("\u1112\u1161\u11ab"));          // a syllable of Hangul
    CHECK(io::outline_of("\u30ac.tif") == io::outline_of("\u30ab\u3099.tif"));         // a voiced kana
    CHECK(io::outline_of("serie.tif") != io::outline_of("s\u00e9rie.tif"));
    CHECK(io::outline_of("a\xff\xc3") == "a**");                                      // no UTF-8
    CHECK(io::outline_of("\u0301") == "*");
}
