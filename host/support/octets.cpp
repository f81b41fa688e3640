#include "support/octets.hpp"

#include <cstddef>
#include <cstdint>

namespace parallax::host {

namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

/// U+EF80 to U+EFFF.
bool stands_for_byte(std::string_view text) {
    const unsigned char second = byte_at(text, 1);
    return byte_at(text, 0) == 0xee && (second == 0xbe || second == 0xbf) && (byte_at(text, 2) & 0xc0) == 0x80;
}

template <class Change>
void change_texts(Json& json, const Change& change) {
    if (json.is_string()) {
        json = change(json.get_ref<const std::string&>());
    } else if (json.is_structured()) {
        for (Json& value : json) change_texts(value, change);
    }
}

}  // namespace

std::size_t length_of_character(std::string_view text) {
    const unsigned char first = byte_at(text, 0);
    if (first < 0x80) return 1;
    const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
    const unsigned char second = byte_at(text, 1);
    const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool no_character =
        (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);   // surrogates, and beyond the last
    return too_long || no_character ? 0 : length;
}

std::string text_of_octets(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const std::size_t length = stands_for_byte(bytes) ? 0 : length_of_character(bytes);
        if (length > 0) {
            text += bytes.substr(0, length);
        } else {
            const unsigned char byte = byte_at(bytes, 0);
            text += {'\xee', byte < 0xc0 ? '\xbe' : '\xbf', static_cast<char>(0x80 | (byte & 0x3f))};
        }
        bytes.remove_prefix(length > 0 ? length : 1);
    }
    return text;
}

std::string octets_of_text(std::string_view text) {
    std::string bytes;
    while (!text.empty()) {
        const bool byte = stands_for_byte(text);
        if (byte)
            bytes += static_cast<char>((byte_at(text, 1) == 0xbe ? 0x80 : 0xc0) | (byte_at(text, 2) & 0x3f));
        else
            bytes += text.front();
        text.remove_prefix(byte ? 3 : 1);
    }
    return bytes;
}

Json with_octets_as_text(Json document) {
    change_texts(document, text_of_octets);
    return document;
}

Json with_text_as_octets(Json document) {
    change_texts(document, octets_of_text);
    return document;
}

}  // namespace parallax::host
