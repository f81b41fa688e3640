#include "algorithms/reduce/totals.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace parallax::engine::reduce {
namespace {

bool has_low(Kind kind) { return kind == Kind::min || kind == Kind::all; }
bool has_high(Kind kind) { return kind == Kind::max || kind == Kind::all; }
bool has_sum(Kind kind) { return kind == Kind::sum || kind == Kind::all; }

double smaller(double a, double b) { return std::isnan(a) ? a : std::isnan(b) || b < a ? b : a; }
double larger(double a, double b) { return std::isnan(a) ? a : std::isnan(b) || b > a ? b : a; }

void add_squares(Totals& t, std::uint64_t low, std::uint64_t carry) {
    t.squares += low;
    t.squares_carry += carry + (t.squares < low ? 1 : 0);
}

bool before(const Totals& t, std::uint64_t a, std::uint64_t b) {
    return is_signed(t.type) ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
}

template <class T>
Totals totals_of(ElementType type, const T* x, std::int64_t count) {
    Totals t(type);
    t.count = static_cast<std::uint64_t>(count);
    for (std::int64_t i = 0; i < count; ++i) {
        if constexpr (std::is_floating_point_v<T>) {
            const double v = x[i], square = v * v;
            t.real_sum.add(v);
            t.real_squares.add(square);
            if (std::isfinite(square)) t.real_squares.rest += std::fma(v, v, -square);
            t.real_low = smaller(t.real_low, v);
            t.real_high = larger(t.real_high, v);
        } else {
            const auto v = static_cast<std::uint64_t>(x[i]);
            t.sum += v;
            add_squares(t, v * v, 0);
            if (before(t, v, t.low)) t.low = v;
            if (before(t, t.high, v)) t.high = v;
        }
    }
    return t;
}

/// Reads the fields of one accumulator, in the order in which the kernels declare them.
template <class Word>
class Fields {
public:
    explicit Fields(const std::byte* at) : at_(at) {}
    Word next() {
        Word word;
        std::memcpy(&word, at_, sizeof word);
        at_ += sizeof word;
        return word;
    }

private:
    const std::byte* at_;
};

template <class Word>
void read_real(Totals& t, Kind kind, const std::byte* at) {
    Fields<Word> fields(at);
    const auto sum = [&fields] {
        CompensatedSum s;
        s.sum = fields.next();
        s.rest = fields.next();
        return s;
    };
    if (has_low(kind)) t.real_low = fields.next();
    if (has_high(kind)) t.real_high = fields.next();
    if (has_sum(kind)) t.real_sum = sum();
    if (kind == Kind::all) t.real_squares = sum();
}

void read_integer(Totals& t, Kind kind, const std::byte* at) {
    Fields<std::uint64_t> fields(at);
    if (has_low(kind)) t.low = fields.next();
    if (has_high(kind)) t.high = fields.next();
    if (has_sum(kind)) t.sum = fields.next();
    if (kind == Kind::all) {
        t.squares = fields.next();
        t.squares_carry = fields.next();
    }
}

}  // namespace

void CompensatedSum::add(double x) noexcept {
    const double next = sum + x;
    const double t = next - sum;
    rest += (sum - (next - t)) + (x - t);
    sum = next;
}

double CompensatedSum::value() const noexcept { return std::isfinite(sum) ? sum + rest : sum; }

Totals::Totals(ElementType element) : type(element) {
    if (is_signed(type)) {
        low = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        high = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min());
    } else {
        low = std::numeric_limits<std::uint64_t>::max();
    }
}

void Totals::join(const Totals& other) noexcept {
    count += other.count;
    sum += other.sum;
    add_squares(*this, other.squares, other.squares_carry);
    if (before(*this, other.low, low)) low = other.low;
    if (before(*this, high, other.high)) high = other.high;
    real_low = smaller(real_low, other.real_low);
    real_high = larger(real_high, other.real_high);
    real_sum.add(other.real_sum.sum);
    real_sum.rest += other.real_sum.rest;
    real_squares.add(other.real_squares.sum);
    real_squares.rest += other.real_squares.rest;
}

double Totals::mean() const noexcept {
    const auto n = static_cast<double>(count);
    if (is_floating(type)) return real_sum.value() / n;
    return (is_signed(type) ? static_cast<double>(static_cast<std::int64_t>(sum)) : static_cast<double>(sum)) / n;
}

double Totals::variance() const noexcept {
    // sum (x - mean)^2 = squares - sum^2 / n, where the difference of two near numbers eats digits: long double where it has
    // more.
    const auto n = static_cast<long double>(count);
    long double s, q;
    if (is_floating(type)) {
        if (!std::isfinite(real_squares.sum) || !std::isfinite(real_sum.sum)) return std::numeric_limits<double>::quiet_NaN();
        s = static_cast<long double>(real_sum.sum) + real_sum.rest;
        q = static_cast<long double>(real_squares.sum) + real_squares.rest;
    } else {
        s = is_signed(type) ? static_cast<long double>(static_cast<std::int64_t>(sum)) : static_cast<long double>(sum);
        q = std::ldexp(static_cast<long double>(squares_carry), 64) + static_cast<long double>(squares);
    }
    return static_cast<double>(std::max(0.0L, (q - s / n * s) / n));
}

bool is_signed(ElementType type) noexcept {
    return type == ElementType::i8 || type == ElementType::i16 || type == ElementType::i32;
}

bool is_supported(ElementType type) noexcept {
    switch (type) {
        case ElementType::u8:
        case ElementType::i8:
        case ElementType::u16:
        case ElementType::i16:
        case ElementType::u32:
        case ElementType::i32:
        case ElementType::f32:
        case ElementType::f64: return true;
        default: return false;
    }
}

Totals totals_of(ElementType type, const std::byte* elements, std::int64_t count) {
    const auto run = [&](auto* typed) { return totals_of(type, typed, count); };
    switch (type) {
        case ElementType::u8: return run(reinterpret_cast<const std::uint8_t*>(elements));
        case ElementType::i8: return run(reinterpret_cast<const std::int8_t*>(elements));
        case ElementType::u16: return run(reinterpret_cast<const std::uint16_t*>(elements));
        case ElementType::i16: return run(reinterpret_cast<const std::int16_t*>(elements));
        case ElementType::u32: return run(reinterpret_cast<const std::uint32_t*>(elements));
        case ElementType::i32: return run(reinterpret_cast<const std::int32_t*>(elements));
        case ElementType::f64: return run(reinterpret_cast<const double*>(elements));
        default: return run(reinterpret_cast<const float*>(elements));   // infer() admits no other type
    }
}

Totals totals_from(ElementType type, Kind kind, std::span<const std::byte> accumulators) {
    Totals all(type);
    const std::size_t size = accumulator_bytes(type, kind);
    for (std::size_t at = 0; at + size <= accumulators.size(); at += size) {
        Totals one(type);
        if (type == ElementType::f32) read_real<float>(one, kind, accumulators.data() + at);
        else if (type == ElementType::f64) read_real<double>(one, kind, accumulators.data() + at);
        else read_integer(one, kind, accumulators.data() + at);
        all.join(one);
    }
    return all;
}

std::size_t accumulator_bytes(ElementType type, Kind kind) noexcept {
    const bool real = is_floating(type);
    const std::size_t words = kind == Kind::all ? (real ? 6 : 5) : kind == Kind::sum && real ? 2 : 1;
    return words * (type == ElementType::f32 ? 4 : 8);
}

}  // namespace parallax::engine::reduce
