#include "series/mean.hpp"

#include "io/format.hpp"
#include "parallax/host/error.hpp"
#include "series/kept_file.hpp"
#include "series/state_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

constexpr double largest = 0x1p40;
constexpr int least_bits = 11;                         // so that what is near is less than `largest`
constexpr int most_arrays = 2048;                      // of at most 2^51 units each
constexpr std::size_t block = 512;                     // elements that are looked at together
constexpr double finer = 0x1p78;                       // by which what is below 2^-72 is larger where it is added up
constexpr std::uint64_t sign_and_exponent = 0xfff0000000000000u;

/// 2^52 units of 2^-bits: the lowest bits of a sum with it are the number of units. Half as much again makes room for negative
/// ones.
double offset_of(int bits) { return std::ldexp(1.5, 52 - bits); }

/// A multiple of the unit less than 2^51 units in size.
bool is_near(double value, double offset) {
    const double sum = value + offset;
    return ((std::bit_cast<std::uint64_t>(sum) ^ std::bit_cast<std::uint64_t>(offset)) & sign_and_exponent) == 0 &&
           sum - offset == value;
}

/// The finest unit in which values four times as large as these can be told.
template <class T>
int bits_for(const T* values, std::size_t count) {
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double size = std::abs(static_cast<double>(values[i]));
        most = size > most && size <= std::numeric_limits<double>::max() ? size : most;
    }
    if (most == 0) most = 1;
    return std::clamp(50 - (std::ilogb(most) + 2), least_bits, Fixed::unit);
}

}  // namespace

Fixed Mean::Part::sum(std::size_t i) const {
    Fixed all = far.empty() ? Fixed{} : far[i];
    if (!near.empty()) all.add(Fixed::of(static_cast<std::int64_t>(near[i]), bits));
    return all;
}

double Mean::Part::value(std::size_t i) const { return sum(i).value() + (fine.empty() ? 0 : fine[i].value() / finer); }

Mean::Mean(std::size_t elements) : elements_(elements), stripes_(elements) {
    for (std::size_t s = 0; s < Stripes::count; ++s) parts_[s].size = stripes_.end(s) - stripes_.begin(s);
}

void Mean::add(const HostArray& array, std::size_t n) {
    io::visit_real(array.desc.type, [&]<class T>(T) {
        const T* const values = array.as<T>();
        stripes_.each(n, [&](std::size_t s) { add(parts_[s], values + stripes_.begin(s)); });
    });
    ++count_;
}

template <class T>
void Mean::add(Part& part, const T* values) {
    if (part.near.empty()) {
        part.near.resize(part.size);
        part.bits = bits_for(values, part.size);
    }
    if (part.added == most_arrays) empty_near(part);
    ++part.added;
    std::size_t far = 0;
    for (std::size_t begin = 0; begin < part.size; begin += block)
        far += add_block(part, values, begin, std::min(begin + block, part.size));
    if (far <= part.size / 16) return;
    const int bits = bits_for(values, part.size);   // another unit may suit what comes next
    if (bits == part.bits) return;
    empty_near(part);
    part.bits = bits;
}

/// How many elements were not near.
template <class T>
std::size_t Mean::add_block(Part& part, const T* values, std::size_t begin, std::size_t end) {
    const double offset = offset_of(part.bits);
    const std::uint64_t zero = std::bit_cast<std::uint64_t>(offset);
    std::uint64_t* const near = part.near.data();
    std::uint64_t strange = 0;
    for (std::size_t i = begin; i < end; ++i) {   // is_near() of all, without a branch: compilers make vectors of it
        const double value = static_cast<double>(values[i]), sum = value + offset;
        const std::uint64_t units = std::bit_cast<std::uint64_t>(sum);
        near[i] += units - zero;
        strange |= ((units ^ zero) & sign_and_exponent) | std::bit_cast<std::uint64_t>((sum - offset) - value);
    }
    if (strange == 0) return 0;
    std::size_t far = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const double value = static_cast<double>(values[i]);
        if (is_near(value, offset)) continue;
        near[i] -= std::bit_cast<std::uint64_t>(value + offset) - zero;
        add_far(part, i, value);
        ++far;
    }
    return far;
}

void Mean::add_far(Part& part, std::size_t i, double value) {
    if (!std::isfinite(value)) return add_special(part, i, value);
    if (std::abs(value) >= largest)
        throw Error(fmt::format("the mean of a series takes values below 2^40 in size, not {}", value));
    if (part.far.empty()) part.far.resize(part.size);
    const Fixed units = Fixed::of(value);
    part.far[i].add(units);
    const double rest = value - units.value();
    if (rest == 0) return;
    if (part.fine.empty()) part.fine.resize(part.size);
    part.fine[i].add(Fixed::of(rest * finer));
}

/// NaN wins, and infinities of both signs make one.
void Mean::add_special(Part& part, std::size_t i, double value) {
    if (part.special.empty()) part.special.resize(part.size);
    part.special[i] = static_cast<float>(static_cast<double>(part.special[i]) + value);
}

void Mean::empty_near(Part& part) {
    part.far.resize(part.size);
    for (std::size_t i = 0; i < part.size; ++i) {
        part.far[i].add(Fixed::of(static_cast<std::int64_t>(part.near[i]), part.bits));
        part.near[i] = 0;
    }
    part.added = 0;
}

fs::path Mean::save(const fs::path& stem, std::size_t number) {
    const fs::path path = stem.string() + fmt::format("-{}{}", number, ending);
    std::vector<FineState> states(elements_);
    bool fine = false;
    stripes_.each(0, [&](std::size_t s) {
        const Part& part = parts_[s];
        fine = fine || !part.fine.empty();
        for (std::size_t i = 0; i < part.size; ++i) {
            const Fixed sum = part.sum(i);
            states[stripes_.begin(s) + i] = {
                {sum.low, sum.high, part.special.empty() ? 0.0 : static_cast<double>(part.special[i])},
                part.fine.empty() ? Fixed{} : part.fine[i]};
        }
    });
    if (fine) {
        write_state(path, states);
    } else {   // as versions before know it
        std::vector<State> coarse;
        coarse.reserve(elements_);
        for (const FineState& state : states) coarse.push_back(state.state);
        write_state(path, coarse);
    }
    return path;
}

void Mean::merge(const fs::path& path, std::size_t count) {
    std::vector<FineState> states;
    const host::OpenedFile opened = kept(path);
    if (std::filesystem::file_size(opened.path()) == elements_ * sizeof(FineState)) {
        states = read_state<FineState>(opened.path(), elements_);
    } else {
        for (const State& state : read_state<State>(opened.path(), elements_)) states.push_back({state, {}});
    }
    stripes_.each(0, [&](std::size_t s) {
        Part& part = parts_[s];
        const std::size_t begin = stripes_.begin(s);
        part.far.resize(part.size);
        for (std::size_t i = 0; i < part.size; ++i) {
            const auto& [state, fine] = states[begin + i];
            part.far[i].add({state.low, state.high});
            if (state.special != 0) add_special(part, i, state.special);
            if (fine.low == 0 && fine.high == 0) continue;
            if (part.fine.empty()) part.fine.resize(part.size);
            part.fine[i].add(fine);
        }
    });
    count_ += count;
}

void Mean::result(float* to) const {
    const auto count = static_cast<double>(count_.load());
    for (std::size_t s = 0; s < Stripes::count; ++s) {
        const Part& part = parts_[s];
        for (std::size_t i = 0; i < part.size; ++i) {
            const float special = part.special.empty() ? 0.0f : part.special[i];
            to[stripes_.begin(s) + i] = std::isnan(special) ? std::numeric_limits<float>::quiet_NaN()
                                        : special != 0      ? special
                                                            : static_cast<float>(part.value(i) / count);
        }
    }
}

}  // namespace parallax::engine::series
