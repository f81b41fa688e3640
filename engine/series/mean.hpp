// The mean of a series, and how it is added up at the speed of memory.
#pragma once

#include "series/fixed.hpp"
#include "series/statistic.hpp"
#include "series/stripes.hpp"

#include <array>
#include <atomic>

namespace parallax::engine::series {

/// Sums are numbers of 128 bits. But an element of most arrays is a multiple of a much larger unit than theirs, one that suits
/// all: 8 bits of a camera, or 24 bits below the brightest value. Such elements are added up in 64 bits, several at once; others
/// go where they belong one by one, and so do the near sums before they can overflow. What of a number is below the unit of 128
/// bits (physical units: 1e-18 and less) is added up by itself. All are exact: which way an element takes does not show in the
/// result.
class Mean final : public Statistic {
public:
    explicit Mean(std::size_t elements);

    void add(const HostArray&, std::size_t n) override;
    std::filesystem::path save(const std::filesystem::path& stem, std::size_t number) override;
    void merge(const std::filesystem::path&, std::size_t count) override;
    void result(float* to) const override;

    static constexpr const char* ending = ".sum";   ///< of its state
    static constexpr std::uint64_t bytes_of_element = sizeof(std::int64_t) + 2 * sizeof(Fixed) + sizeof(float);
    static constexpr std::uint64_t bytes_of_state = 40;

private:
    /// Sums of a part of the array.
    struct Part {
        std::size_t size = 0;
        std::vector<std::uint64_t> near;     ///< multiples of 2^-bits, in two's complement; empty until something is added
        int bits = 0;
        int added = 0;                       ///< arrays, to near
        std::vector<Fixed> far;              ///< empty until something goes there
        std::vector<Fixed> fine;             ///< of what is below 2^-72, in units of 2^-150; likewise
        std::vector<float> special;          ///< NaN and infinities; likewise

        Fixed sum(std::size_t i) const;
        double value(std::size_t i) const;
    };
    struct State {
        std::uint64_t low;
        std::int64_t high;
        double special;
    };
    struct FineState {   ///< of a sum with anything below 2^-72
        State state;
        Fixed fine;
    };

    template <class T>
    void add(Part&, const T* values);
    template <class T>
    std::size_t add_block(Part&, const T* values, std::size_t begin, std::size_t end);
    static void add_far(Part&, std::size_t i, double value);
    static void add_special(Part&, std::size_t i, double value);
    static void empty_near(Part&);

    std::size_t elements_;
    std::array<Part, Stripes::count> parts_;
    Stripes stripes_;
    std::atomic<std::size_t> count_ = 0;
};

}  // namespace parallax::engine::series
