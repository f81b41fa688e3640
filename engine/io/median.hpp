// Medians of many short columns, several columns at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace parallax::io {

/// The lesser values to `low`, the others to `high`. By way of copies: compilers make vectors of it.
template <std::size_t W, class T>
void exchange(T* low, T* high) {
    std::array<T, W> a, b;
    std::copy_n(low, W, a.begin());
    std::copy_n(high, W, b.begin());
    for (std::size_t w = 0; w < W; ++w) low[w] = b[w] < a[w] ? b[w] : a[w];
    for (std::size_t w = 0; w < W; ++w) high[w] = b[w] < a[w] ? a[w] : b[w];
}

/// Sorts columns: `rows` rows of W values, none of them NaN. Merge exchange (Knuth, The Art of Computer Programming, 5.2.2,
/// algorithm M) compares the same rows whatever the values, so that all columns go through it together.
template <std::size_t W, class T>
void sort_columns(T* values, std::size_t rows) {
    if (rows < 2) return;
    const std::size_t top = std::bit_ceil(rows) / 2;
    for (std::size_t p = top; p > 0; p /= 2) {
        std::size_t q = top, r = 0, d = p;
        for (;;) {
            for (std::size_t i = 0; i < rows - d; ++i) {
                if ((i & p) != r) continue;
                exchange<W>(values + i * W, values + (i + d) * W);
            }
            if (q == p) break;
            d = q - p;
            q /= 2;
            r = p;
        }
    }
}

/// Where sorting all columns takes longer than to select in each.
inline constexpr std::size_t most_sorted = 256;

/// The values in the middle of a column of W side by side, without sorting the others.
template <std::size_t W, class T>
std::pair<T, T> select_middle(const T* column, std::size_t rows, std::vector<T>& values) {
    values.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) values[r] = column[r * W];
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(rows / 2);
    std::nth_element(values.begin(), middle, values.end());
    return {rows % 2 == 1 ? *middle : *std::max_element(values.begin(), middle), *middle};
}

/// Of each of `columns` columns the middle value, or the mean of the two in the middle; NaN where one is NaN, as NumPy has it.
/// `row(r)` points to the row r of all `rows` (at least 1). -0 counts as 0, so that the order of rows does not matter.
template <class T, class Row>
void medians(std::size_t rows, std::size_t columns, const Row& row, float* to) {
    constexpr std::size_t width = 16;
    std::vector<T> tile(rows * width), scratch;
    for (std::size_t start = 0; start < columns; start += width) {
        const std::size_t length = std::min(width, columns - start);
        std::array<T, width> strange{};   // NaN where one is
        for (std::size_t r = 0; r < rows; ++r) {
            const auto* const from = row(r) + start;
            T* const into = tile.data() + r * width;
            for (std::size_t w = 0; w < length; ++w) {
                const T value = static_cast<T>(from[w]) + T{0};
                strange[w] = value != value ? value : strange[w];
                into[w] = value != value ? T{0} : value;
            }
        }
        if (rows <= most_sorted) sort_columns<width>(tile.data(), rows);
        for (std::size_t w = 0; w < length; ++w) {
            const std::pair<T, T> middle = rows <= most_sorted
                                               ? std::pair(tile[(rows - 1) / 2 * width + w], tile[rows / 2 * width + w])
                                               : select_middle<width>(tile.data() + w, rows, scratch);
            const double value = middle.first == middle.second
                                     ? static_cast<double>(middle.first)   // infinite ones too
                                     : (static_cast<double>(middle.first) + static_cast<double>(middle.second)) / 2;
            to[start + w] = strange[w] != strange[w] ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(value);
        }
    }
}

}  // namespace parallax::io
