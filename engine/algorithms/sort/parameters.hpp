// Parameters of `sort`, and the sorting that they and the arrays ask for.
#pragma once

#include "core/algorithm.hpp"
#include "core/parameters.hpp"

#include <cstdint>
#include <optional>

namespace parallax::engine::sort {

enum class Order { ascending, descending };

struct Bits {
    int begin = 0;
    int end = -1;                         ///< -1: the number of bits of a key
    bool operator==(const Bits&) const = default;
};

struct SortParameters {
    Order order = Order::ascending;
    std::optional<Bits> bits;             ///< unset: all
};

ParameterTable sort_table();

/// What is sorted: stable, by bits [begin, end) of the keys alone.
struct SortSpec {
    ElementType type = ElementType::u32;  ///< of the keys: u32 or u64
    std::int64_t count = 0;
    bool values = false;                  ///< a u32 goes along with each key
    bool descending = false;
    int begin = 0;
    int end = 32;                         ///< begin == end: nothing is compared, and nothing moves

    int key_bits() const noexcept { return type == ElementType::u64 ? 64 : 32; }
};

/// Everything checked; throws ConfigError at the input or parameter that is wrong.
SortSpec spec_of(const Problem&);

}  // namespace parallax::engine::sort
