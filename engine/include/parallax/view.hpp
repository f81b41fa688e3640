// Arrays in the caller's memory, in and out without a copy of their own.
#pragma once

#include "parallax/array.hpp"
#include "parallax/error.hpp"

#include <complex>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>

namespace parallax {

namespace detail {

template <class T>
constexpr ElementType element_type() {
    if constexpr (std::is_same_v<T, bool>) return ElementType::boolean;
    else if constexpr (std::is_same_v<T, float>) return ElementType::f32;
    else if constexpr (std::is_same_v<T, double>) return ElementType::f64;
    else if constexpr (std::is_same_v<T, std::complex<float>>) return ElementType::c64;
    else if constexpr (std::is_same_v<T, std::complex<double>>) return ElementType::c128;
    else {
        static_assert(std::is_integral_v<T> && sizeof(T) <= 8,
                      "an element is a number: bool, an integer, float, double or std::complex of these");
        constexpr ElementType types[2][4] = {{ElementType::u8, ElementType::u16, ElementType::u32, ElementType::u64},
                                             {ElementType::i8, ElementType::i16, ElementType::i32, ElementType::i64}};
        return types[std::is_signed_v<T>][sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3];
    }
}

template <class T>
ArrayDesc dense_desc(std::span<T> values, std::initializer_list<ArrayDesc::Extent> extents) {
    ArrayDesc desc = ArrayDesc::dense(element_type<std::remove_const_t<T>>(), extents);
    if (static_cast<std::int64_t>(values.size()) != desc.count())
        throw ConfigError("", std::to_string(values.size()) + " elements for " + desc.describe(),
                          std::to_string(desc.count()) + " elements");
    return desc;
}

}  // namespace detail

/// Memory that is read. It must live until the call that takes it returns or, where that call is asynchronous, until its
/// event is complete.
struct View {
    View() = default;
    /// `data` is the start of the memory; desc.offset and strides say where the elements are.
    View(ArrayDesc d, const void* p) : desc(std::move(d)), data(p) {}
    /// View(pixels, {{'y', 480}, {'x', 640}}): slowest axis first. Throws ConfigError where the sizes disagree.
    template <class T>
    View(std::span<T> values, std::initializer_list<ArrayDesc::Extent> extents)
        : desc(detail::dense_desc(values, extents)), data(values.data()) {}
    template <class T>
    View(const std::vector<T>& values, std::initializer_list<ArrayDesc::Extent> extents)
        : View(std::span<const T>(values), extents) {}
    View(const HostArray& array) : desc(array.desc), metadata(array.metadata), data(array.memory.get()) {}

    ArrayDesc desc;
    Metadata metadata;
    const void* data = nullptr;
};

/// Memory that is written; dense.
struct MutableView {
    MutableView() = default;
    MutableView(ArrayDesc d, void* p) : desc(std::move(d)), data(p) {}
    template <class T>
    MutableView(std::span<T> values, std::initializer_list<ArrayDesc::Extent> extents)
        : desc(detail::dense_desc(values, extents)), data(values.data()) {}
    template <class T>
    MutableView(std::vector<T>& values, std::initializer_list<ArrayDesc::Extent> extents)
        : MutableView(std::span<T>(values), extents) {}
    MutableView(HostArray& array) : desc(array.desc), data(array.memory.get()) {}

    ArrayDesc desc;
    void* data = nullptr;
};

}  // namespace parallax
