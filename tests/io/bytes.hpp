// Files made by hand: numbers in either byte order, one after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

namespace parallax::tests {

struct Bytes {
    std::string text;
    bool big = false;

    template <class T>
    Bytes& add(T value) {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        if (big != (std::endian::native == std::endian::big)) std::reverse(raw, raw + sizeof(T));
        text.append(raw, sizeof(T));
        return *this;
    }
    template <class T>
    Bytes& add_all(std::initializer_list<T> values) {
        for (const T value : values) add(value);
        return *this;
    }
    Bytes& add_text(std::string_view t) {
        text += t;
        return *this;
    }
    Bytes& pad_to(std::size_t size) {
        text.resize(size, '\0');
        return *this;
    }
};

}   // namespace parallax::tests
