// Texts of anybody's on a terminal.
#include "support/text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace parallax;

TEST_CASE("printable: what a terminal obeys is escaped, letters of all languages stay") {
    struct Row { std::string text, lines, line; };
    const Row rows[] = {
        {"plain, \ttabs", "plain, \ttabs", "plain, \ttabs"},
        {"a\nb", "a\nb", "a\\x0ab"},
        {"\x1b[31mred\x07\r", "\\x1b[31mred\\x07\\x0d", "\\x1b[31mred\\x07\\x0d"},
        {"\x7f", "\\x7f", "\\x7f"},
        {"\xc2\x9b" "31m", "\\x9b31m", "\\x9b31m"},          // C1 in UTF-8
        {"\x9b" "31m", "\\x9b31m", "\\x9b31m"},              // and as the byte that it is elsewhere
        {"gr\xfc\xdf", "gr\\xfc\\xdf", "gr\\xfc\\xdf"},      // Latin-1
        {"\xe2\x80\xae" "gpj.exe", "\\u202egpj.exe", "\\u202egpj.exe"},
        {"\xe2\x81\xa6x\xe2\x80\xa9", "\\u2066x\\u2029", "\\u2066x\\u2029"},
        {"Grüße, 像素, Ω, 🧠", "Grüße, 像素, Ω, 🧠", "Grüße, 像素, Ω, 🧠"},
        {"\xc0\xaf\xed\xa0\x80\xf5", "\\xc0\\xaf\\xed\\xa0\\x80\\xf5", "\\xc0\\xaf\\xed\\xa0\\x80\\xf5"},
        {"cut \xe2\x80", "cut \\xe2\\x80", "cut \\xe2\\x80"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(host::printable(row.text) == row.lines);
        CHECK(host::printable_line(row.text) == row.line);
        CHECK(host::printable_line(host::printable_line(row.text)) == row.line);
    }
}

TEST_CASE("numbers and letters are read as C writes them") {
    struct Row {
        const char* text;
        double number;
        std::size_t used;
    };
    for (const Row& row :
         {Row{"1.5", 1.5, 3}, Row{" +482.7 nm", 482.7, 7}, Row{"-.5e3x", -500, 5}, Row{"1,5", 1, 1}, Row{"532nm", 532, 3}}) {
        CAPTURE(row.text);
        const auto found = host::leading_number(row.text);
        REQUIRE(found);
        CHECK(found->number == row.number);
        CHECK(found->used == row.used);
    }
    for (const char* none : {"", " ", "+", "+-1", "nm", ",5"}) CHECK(!host::leading_number(none));
    CHECK(host::lower("GIF-Ä\xc9") == "gif-Ä\xc9");
    for (int c = 128; c < 256; ++c) {
        const char one = static_cast<char>(c);
        CHECK(!host::is_letter(one));
        CHECK(!host::is_space(one));
        CHECK(!host::is_digit(one));
    }
}
