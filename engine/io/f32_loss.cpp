#include "io/f32_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "io/format.hpp"

namespace parallax::io {
namespace {

/// Whether f32 has this very number, of a type of which it does not have all.
template <class T>
bool is_held(T value) {
    if constexpr (std::is_same_v<T, double>) {
        return value != value || static_cast<double>(static_cast<float>(value)) == value;
    } else {   // whole numbers of 24 bits, moved up: a cast back of 2^64 would be undefined
        auto size = static_cast<std::uint64_t>(value);
        if constexpr (std::is_signed_v<T>) size = value < 0 ? 0 - size : size;
        return size == 0 || (size >> std::countr_zero(size)) < (std::uint64_t{1} << 24);
    }
}

}   // namespace

std::string loss_in_f32(const HostArray& given) {
    if (is_complex(given.desc.type)) return {};
    const bool held = visit_real(given.desc.type, [&]<class T>(T) {
        if constexpr (sizeof(T) < 4 || std::is_same_v<T, float>) {
            return true;
        } else {
            const HostArray array = given.to_dense();
            const T* const from = array.as<T>();
            return std::all_of(from, from + array.desc.count(), [](T value) { return is_held(value); });
        }
    });
    if (held) return {};
    if (given.desc.type == ElementType::f64)
        return "as f32, which does not hold each of their numbers: 7 digits are kept, and numbers up to 3.4e38";
    return fmt::format("as f32, which does not hold each of their numbers: beyond 16,777,216 not every {} is one of f32",
                       to_string(given.desc.type));
}

}   // namespace parallax::io
