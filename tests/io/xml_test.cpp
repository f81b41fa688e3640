// XML, as far as microscopes write it, in any encoding.
#include "io/xml.hpp"

#include <fmt/format.h>

#include "io/support.hpp"

using namespace parallax;

TEST_CASE("xml: every form that it may have, and none that it may not") {
    using Event = io::XmlReader::Event;
    const auto events = [](std::string_view text) {
        io::XmlReader reader(text);
        std::string all;
        for (;;) {
            switch (reader.next()) {
                case Event::open:
                    all += fmt::format("<{}{}", reader.depth(), reader.name());
                    break;
                case Event::close:
                    all += fmt::format(">{}{}", reader.depth(), reader.name());
                    break;
                case Event::text:
                    all += "'" + reader.text() + "'";
                    break;
                case Event::end:
                    return all;
                case Event::damaged:
                    CHECK(reader.next() == Event::damaged);
                    return all + "! " + reader.problem();
            }
        }
    };
    CHECK(
        events(
            "<?xml version='1.0'?><!-- <b> --><!DOCTYPE a><x:a>t&amp;&#65;&#x3b1;<b c='>'/>&no;<![CDATA[<&amp;]]></x:a> <c/>") ==
        "<1a't&A\xce\xb1'<2b>2b'&no;''<&amp;'>1a");
    for (const auto& [text, problem] : std::initializer_list<std::pair<std::string, const char*>>{
             {"<a", "! it has a tag that does not end"},
             {"<a b='", "! it has an attribute that does not end"},
             {"<a><", "<1a! it has a tag that does not end"},
             {"<a><!--", "<1a! it ends inside a comment"},
             {"<?xml", "! it ends inside an instruction"},
             {"<a><![CDATA[", "<1a! it ends inside CDATA"},
             {"<a>b", "<1a'b'! it ends inside <a>"},
             {"<a></b>", "<1a! </b> closes <a>"},
             {"</b>", "! </b> closes nothing"},
             {"a<b/>", "! it begins with other words"},
             {"< a/>", "! it has a tag without a name"},
             {"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "! it declares entities of its own"}})
        CHECK(events(text) == problem);
    std::string deep;
    for (int i = 0; i < 300; ++i) deep += "<a>";
    CHECK(events(deep).ends_with("! it has more than 256 levels"));
    io::XmlReader reader(R"(<a  b = "1 &lt; 2" c='"' xb="2" d/>)");
    REQUIRE(reader.next() == Event::open);
    CHECK(reader.attribute("b") == "1 < 2");
    CHECK(reader.attribute("c") == "\"");
    CHECK(reader.attribute("xb") == "2");
    CHECK_FALSE(reader.attribute("d"));
    CHECK(io::xml_as_utf8("\xb5m") == "\xc2\xb5m");
    CHECK(io::xml_as_utf8(std::string("<\0\xb1\x03", 4)) == "<\xce\xb1");
    CHECK(io::xml_as_utf8(std::string("\xfe\xff\xd8\x3d\xde\x00", 6)) == "\xf0\x9f\x98\x80");
}
