#include "job/json_advice.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace parallax::engine {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_letter(char c) { return host::is_letter(c) || c == '_'; }
using host::is_digit;

/// The text with the place where reading ended: at its last character, or inside a string.
struct Place {
    std::string_view text;
    std::size_t at;        ///< of the character that does not fit
    bool in_string;
    std::string open;      ///< brackets that are not closed yet

    char here() const { return at < text.size() ? text[at] : '\0'; }
    /// The last character before that is no space.
    char before() const {
        for (std::size_t i = at; i-- > 0;) {
            if (!is_space(text[i])) return text[i];
        }
        return '\0';
    }
    /// The word or number that the character belongs to.
    std::string_view word() const {
        const auto part = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '+' || c == '.'; };
        std::size_t first = std::min(at, text.size()), last = first;
        while (first > 0 && part(text[first - 1])) --first;
        while (last < text.size() && part(text[last])) ++last;
        return text.substr(first, std::min<std::size_t>(last - first, 40));
    }
};

Place place_of(std::string_view text, std::size_t byte) {
    Place place{text, std::min(byte == 0 ? 0 : byte - 1, text.size()), false, {}};
    for (std::size_t i = 0; i < place.at; ++i) {
        const char c = text[i];
        if (place.in_string) {
            if (c == '\\') ++i;
            else if (c == '"') place.in_string = false;
        } else if (c == '"') {
            place.in_string = true;
        } else if (c == '{' || c == '[') {
            place.open += c;
        } else if ((c == '}' || c == ']') && !place.open.empty()) {
            place.open.pop_back();
        }
    }
    if (place.in_string && place.here() == '"') {   // a whole string that does not fit: its beginning is the place
        place.in_string = false;
        do --place.at;
        while (place.at > 0 && (text[place.at] != '"' || text[place.at - 1] == '\\'));
    } else if (!place.in_string) {   // so with numbers and words
        const auto part = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '+' || c == '.'; };
        while (place.at < text.size() && place.at > 0 && part(text[place.at]) && part(text[place.at - 1])) --place.at;
    }
    return place;
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
        if (length == 0 || lead >= 0xf8 || i + length > text.size()) return false;
        for (std::size_t k = 1; k < length; ++k) {
            if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
        }
        if (lead == 0xed && static_cast<unsigned char>(text[i + 1]) >= 0xa0) return false;   // half of a pair of UTF-16
        i += length;
    }
    return true;
}

JsonAdvice on_encoding(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
    const bool marked = (byte(0) == 0xff && byte(1) == 0xfe) || (byte(0) == 0xfe && byte(1) == 0xff);
    const bool spaced = text.size() > 3 && ((byte(0) == 0) != (byte(1) == 0)) && ((byte(2) == 0) != (byte(3) == 0));
    const bool wide = (byte(2) == 0 && byte(3) == 0 && (marked || byte(1) == 0)) ||
                      (byte(0) == 0 && byte(1) == 0 && (byte(2) == 0xfe || byte(2) == 0));
    if (text.size() > 3 && wide) return {"text in UTF-32", "UTF-8", "save it as UTF-8 in the editor"};
    if (marked || spaced) return {"text in UTF-16", "UTF-8", "save it as UTF-8 in the editor"};
    if (text.substr(0, 2000).find('\0') != std::string_view::npos || (byte(0) == 0x89 && byte(1) == 'P'))
        return {"a file that is not text", "a JSON file", "is it an image or an array? those are inputs of a job"};
    return {"bytes that are not UTF-8", "UTF-8", "save it as UTF-8 in the editor"};
}

/// \ud800 to \udfff stand for a letter only by twos. The place is behind the one or the other.
bool is_half_of_a_pair(const Place& p) {
    const std::size_t escape = p.text.rfind("\\u", p.at);
    if (escape == std::string_view::npos || escape + 12 < p.at || escape + 3 >= p.text.size()) return false;
    const char first = p.text[escape + 2], second = p.text[escape + 3];
    return (first == 'd' || first == 'D') && (second == '8' || second == '9' || is_letter(second));
}

JsonAdvice on_half_of_a_pair() {
    return {"half of a pair of \\u escapes", "both halves, as in \\ud83d\\ude00", "or the letter itself, in UTF-8"};
}

/// The text ends behind it, so that the parser stops at the quote.
bool ends_in_half_of_a_pair(std::string_view text, std::size_t byte) {
    if (byte < 8 || byte > text.size() || text[byte - 1] != '"' || text[byte - 7] != '\\' || text[byte - 6] != 'u') return false;
    const char first = text[byte - 5], second = text[byte - 4];
    return (first == 'd' || first == 'D') && (second == '8' || second == '9' || is_letter(second));
}

JsonAdvice on_string(const Place& p) {
    const char c = p.here();
    if (c == '\n' || c == '\r' || p.at >= p.text.size())
        return {"a line that ends inside a string", "the closing \"", "is a \" missing? a line's end within a text is \\n"};
    if (static_cast<unsigned char>(c) < 0x20)
        return {c == '\t' ? "a tab inside a string" : "a control character inside a string", "a text without it",
                c == '\t' ? "write \\t or a space" : "remove it"};
    if (is_half_of_a_pair(p)) return on_half_of_a_pair();
    return {"a single \\ inside a string", "\\\\, or another escape such as \\n",
            "in paths write / for it, which works everywhere"};
}

/// "Nan", "True", "none": a word that other languages have.
JsonAdvice on_word(const Place& p) {
    const std::string word(p.word());
    std::string small = host::lower(word);
    const std::string found = fmt::format("the word {}", word);
    while (!small.empty() && (small.front() == '-' || small.front() == '+')) small.erase(0, 1);
    if (small == "nan" || small == "inf" || small == "infinity")
        return {found, "a number", "JSON has no NaN and no infinity: leave the key out for the default"};
    if (small == "true" || small == "false") return {found, small, "JSON writes it small"};
    if (small == "none" || small == "nil" || small == "undefined" || small == "null") return {found, "null", "JSON writes null"};
    const bool key = !p.open.empty() && p.open.back() == '{' && (p.before() == '{' || p.before() == ',');
    if (p.open.empty() && p.before() == '\0')
        return {found, "{ and a JSON object", "a job is JSON: `parallax init ALGORITHM` prints one to start from"};
    return {found, key ? "a key in double quotes" : "a number, a text in double quotes, true, false, null, { or [",
            fmt::format("write \"{}\"", word)};
}

JsonAdvice on_number(const Place& p) {
    const std::string word(p.word());
    const std::string found = word.empty() ? fmt::format("the character {}", p.here()) : fmt::format("the number {}", word);
    const bool zero = word.size() > 1 && word[0] == '0' && is_digit(word[1]);
    return {found, "a number such as 0.5 or -12",
            word.starts_with('.')   ? "write a 0 before the point"
            : word.ends_with('.')   ? "write a digit behind the point"
            : word.starts_with('+') ? "leave the + out"
            : zero                  ? "leave the leading 0 out"
                                    : ""};
}

}  // namespace

JsonAdvice advice_on_json(const std::string& text, std::size_t byte) {
    if (std::all_of(text.begin(), text.end(), is_space))
        return {"an empty file", "JSON", "`parallax init ALGORITHM` prints a job to start from"};
    if (!is_utf8(text) || text.find('\0') != std::string::npos) return on_encoding(text);
    if (ends_in_half_of_a_pair(text, byte)) return on_half_of_a_pair();
    const Place p = place_of(text, byte);
    const char c = p.here(), before = p.before();
    if (p.in_string) return on_string(p);
    if (p.at >= text.size()) {
        std::string missing;
        for (auto bracket = p.open.rbegin(); bracket != p.open.rend(); ++bracket) missing += *bracket == '{' ? '}' : ']';
        if (missing.empty()) return {"the end of the file", "more", ""};
        return {"the end of the file", missing,
                fmt::format("{} {} not closed", missing.size(), missing.size() == 1 ? "bracket is" : "brackets are")};
    }
    if ((c == '}' || c == ']') && before == ',')
        return {fmt::format("a comma before {}", c), fmt::format("no comma behind the last of a list"), "remove the comma"};
    if (c == '\'' || (is_letter(c) && before == '\''))
        return {"a single quote", "a double quote", "keys and texts stand in double quotes: \"run\""};
    if (static_cast<unsigned char>(c) == 0xe2 || static_cast<unsigned char>(c) == 0xc2)
        return {"a typographic quote or space", "a plain \" or space", "type it anew in a plain text editor"};
    if (c == '/' || c == '*' || c == '#' || (before == '/' && c != '"'))
        return {"a comment", "JSON, which has none", R"(a key that begins with // is skipped: "// why": "a note")"};
    if (c == '=') return {"the character =", ":", "a key and its value stand as \"key\": value"};
    if (p.open.empty() && before != '\0' && before != ',')
        return {fmt::format("more behind the end of the JSON: {}", c), "one value a file",
                "one bracket too many, or two documents in one file?"};
    const bool value_before =
        before == '"' || before == '}' || before == ']' || is_digit(before) || (is_letter(before) && before != '\0');
    if (value_before && (c == '"' || c == '{' || c == '[' || is_digit(c) || is_letter(c))) {
        const bool key = !p.open.empty() && p.open.back() == '{' && before == '"';
        return {fmt::format("{} directly behind another value",
                            is_digit(c) || is_letter(c) ? std::string(p.word()) : std::string(1, c)),
                key ? "a colon or a comma before it" : "a comma before it", key ? "" : "a comma is missing before it"};
    }
    const std::string_view word = p.word();
    const bool numeric = !word.empty() && (is_digit(word[0]) || ((word[0] == '.' || word[0] == '+' || word[0] == '-') &&
                                                                 word.size() > 1 && (is_digit(word[1]) || word[1] == '.')));
    if (numeric || c == '.' || c == '+') return on_number(p);
    if (!word.empty()) return on_word(p);
    return {fmt::format("the character {}", c), "a value, or what closes the last bracket",
            "is a quote, a comma or a bracket missing before it?"};
}

}  // namespace parallax::engine
