#include "agreement/agreement.hpp"

#include "core/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace parallax::engine::compare {

namespace {

/// Place of a number among all f32, so that neighbours differ by one.
std::int64_t place_of(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits < 0 ? -static_cast<std::int64_t>(bits & 0x7fffffff) : bits;
}

std::string index_of(const ArrayDesc& desc, std::int64_t element) {
    std::vector<std::int64_t> index(desc.axes.size());
    for (std::size_t i = desc.axes.size(); i-- > 0;) {
        index[i] = element % desc.axes[i].size;
        element /= desc.axes[i].size;
    }
    return fmt::format("[{}]", fmt::join(index, ", "));
}

/// Of two integers that differ; it may be more than their type holds.
template <class T>
double distance(T a, T b) {
    const auto low = static_cast<std::uint64_t>(std::min(a, b)), high = static_cast<std::uint64_t>(std::max(a, b));
    return static_cast<double>(high - low);
}

/// The same for numbers of a record, of which one may have a sign and the other 64 bits without.
double distance(const Json& a, const Json& b) {
    // Between a number with a sign and one without, the library compares bits.
    const double x = a.get<double>(), y = b.get<double>();
    const bool is_below = x < y || (x == y && a < b);
    const Json &low = is_below ? a : b, &high = is_below ? b : a;
    const auto is_small = [](const Json& v) {
        return !v.is_number_unsigned() ||
               v.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    };
    if (is_small(low) && is_small(high)) return distance(low.get<std::int64_t>(), high.get<std::int64_t>());
    if (low.get<double>() >= 0) return distance(low.get<std::uint64_t>(), high.get<std::uint64_t>());
    return high.get<double>() - low.get<double>();
}

template <class T>
Agreement compare_integers(const HostArray& result, const HostArray& reference, const Tolerance& tolerance,
                           const std::string& name) {
    Agreement a;
    const T *x = result.as<T>(), *y = reference.as<T>();
    std::int64_t worst = 0;
    for (std::int64_t i = 0; i < reference.desc.count(); ++i) {
        if (x[i] == y[i]) continue;
        ++a.differing;
        const double error = distance(x[i], y[i]);
        if (error > a.max_error) {
            a.max_error = error;
            worst = i;
        }
    }
    a.exact = a.differing == 0;
    a.agrees = a.max_error <= tolerance.levels;
    if (!a.agrees)
        a.why_not = fmt::format("{}: {} of {} elements differ, by {:g} at {}", name, a.differing, reference.desc.count(),
                                a.max_error, index_of(reference.desc, worst));
    return a;
}

template <class T>
Agreement compare_reals(const HostArray& result, const HostArray& reference, const Tolerance& tolerance, const std::string& name,
                        int parts) {
    Agreement a;
    const T *x = result.as<T>(), *y = reference.as<T>();
    const std::int64_t count = reference.desc.count() * parts;
    double largest = 0, squares = 0, errors = 0;
    std::int64_t worst = -1, stray = -1;
    std::vector<std::int64_t> steps;   // of every stride-th element: percentiles need no more than a million
    const std::int64_t stride = std::max<std::int64_t>(1, count / 1000000);
    for (std::int64_t i = 0; i < count; ++i) {
        const double u = static_cast<double>(x[i]), v = static_cast<double>(y[i]);
        const bool same =
            std::bit_cast<std::array<std::byte, sizeof(T)>>(x[i]) == std::bit_cast<std::array<std::byte, sizeof(T)>>(y[i]) ||
            u == v || (std::isnan(u) && std::isnan(v));
        if (!same) ++a.differing;
        if (!std::isfinite(u) || !std::isfinite(v)) {
            if (!same && stray < 0) stray = i;
            continue;
        }
        largest = std::max(largest, std::abs(v));
        squares += v * v;
        errors += (u - v) * (u - v);
        if (std::abs(u - v) > a.max_error) {
            a.max_error = std::abs(u - v);
            worst = i;
        }
        const std::int64_t apart = std::abs(place_of(static_cast<float>(u)) - place_of(static_cast<float>(v)));
        a.ulp_max = std::max(a.ulp_max, static_cast<double>(apart));
        if (i % stride == 0) steps.push_back(apart);
    }
    const auto rank = [&](double p) {
        if (steps.empty()) return 0.0;
        const auto at = steps.begin() + static_cast<std::ptrdiff_t>(p * static_cast<double>(steps.size() - 1));
        std::nth_element(steps.begin(), at, steps.end());
        return static_cast<double>(*at);
    };
    a.ulp_median = rank(0.5);
    a.ulp_99 = rank(0.99);
    a.relative = largest > 0 ? a.max_error / largest : a.max_error;
    a.rms = squares > 0 ? std::sqrt(errors / squares) : std::sqrt(errors);
    a.exact = a.differing == 0;
    a.agrees = stray < 0 && a.relative <= tolerance.relative;
    if (stray >= 0)
        a.why_not = fmt::format("{}: {} where the reference has {} at {}", name, static_cast<double>(x[stray]),
                                static_cast<double>(y[stray]), index_of(reference.desc, stray / parts));
    else if (!a.agrees)
        a.why_not = fmt::format("{}: an error of {:.2g} of the largest magnitude at {}, more than {:g}", name, a.relative,
                                index_of(reference.desc, worst / parts), tolerance.relative);
    return a;
}

Agreement disagreement(std::string why) {
    Agreement a;
    a.agrees = a.exact = false;
    a.why_not = std::move(why);
    return a;
}

void compare_values(const Json& x, const Json& y, const Tolerance& tolerance, const std::string& name, Agreement& a) {
    if (y.is_number_float() || x.is_number_float()) {
        if (!x.is_number() || !y.is_number())
            return merge_into(a, disagreement(fmt::format("{}: {} where the reference has {}", name, x.dump(), y.dump())));
        const double u = x.get<double>(), v = y.get<double>(), error = std::abs(u - v);
        if (error == 0) return;
        Agreement one;
        one.exact = false;
        one.differing = 1;
        one.max_error = error;
        one.relative = error / std::max(std::abs(v), std::numeric_limits<double>::min());
        one.agrees = one.relative <= tolerance.relative || error < 1e-12;
        if (!one.agrees) one.why_not = fmt::format("{}: {:.9g} where the reference has {:.9g}", name, u, v);
        return merge_into(a, one);
    }
    if (x.is_number() && y.is_number()) {
        const auto is_negative = [](const Json& v) { return !v.is_number_unsigned() && v.get<std::int64_t>() < 0; };
        if (x == y && is_negative(x) == is_negative(y)) return;
        const double error = distance(x, y);
        Agreement one;
        one.exact = false;
        one.differing = 1;
        one.max_error = error;
        one.agrees = error <= tolerance.levels;
        if (!one.agrees) one.why_not = fmt::format("{}: {} where the reference has {}", name, x.dump(), y.dump());
        return merge_into(a, one);
    }
    if (x.type() != y.type() || (x.is_structured() && x.size() != y.size()))
        return merge_into(a, disagreement(fmt::format("{}: {} where the reference has {}", name, describe(x), describe(y))));
    if (x.is_object()) {
        for (const auto& [key, value] : y.items()) {
            if (!x.contains(key)) merge_into(a, disagreement(fmt::format("{}: no \"{}\"", name, key)));
            else compare_values(x[key], value, tolerance, name + "." + key, a);
        }
    } else if (x.is_array()) {
        for (std::size_t i = 0; i < y.size(); ++i) compare_values(x[i], y[i], tolerance, fmt::format("{}[{}]", name, i), a);
    } else if (x != y) {
        merge_into(a, disagreement(fmt::format("{}: {} where the reference has {}", name, x.dump(), y.dump())));
    }
}

double positive(const Json& value, const std::string& pointer) {
    if (!value.is_number() || !(value.get<double>() >= 0)) throw ConfigError(pointer, describe(value), "a number of at least 0");
    return value.get<double>();
}

}  // namespace

Tolerance tolerance_for(const Json& written, const std::string& output, const std::string& pointer) {
    Tolerance tolerance;
    if (written.is_null()) return tolerance;
    if (!written.is_object()) {
        tolerance.relative = positive(written, pointer);
        return tolerance;
    }
    if (written.contains(output)) return tolerance_for(written[output], "", pointer_to(pointer, output));
    if (written.contains("relative")) tolerance.relative = positive(written["relative"], pointer + "/relative");
    if (written.contains("levels")) tolerance.levels = positive(written["levels"], pointer + "/levels");
    return tolerance;
}

Json Agreement::to_json() const {
    // Of values near the end of their type; JSON has no number for it.
    const auto told = [](double error) { return std::isfinite(error) ? error : std::numeric_limits<double>::max(); };
    Json json{{"agrees", agrees},
              {"exact", exact},
              {"differing", differing},
              {"max_error", told(max_error)},
              {"relative", told(relative)},
              {"rms", told(rms)},
              {"ulp", {{"median", ulp_median}, {"p99", ulp_99}, {"max", ulp_max}}}};
    if (!why_not.empty()) json["why_not"] = why_not;
    return json;
}

Agreement compare_arrays(const HostArray& given, const HostArray& expected, const Tolerance& tolerance, const std::string& name) {
    if (given.desc.describe() != expected.desc.describe())
        return disagreement(
            fmt::format("{}: {} where the reference has {}", name, given.desc.describe(), expected.desc.describe()));
    const HostArray x = given.to_dense(), y = expected.to_dense();
    switch (x.desc.type) {
        case ElementType::boolean:
        case ElementType::u8: return compare_integers<std::uint8_t>(x, y, tolerance, name);
        case ElementType::i8: return compare_integers<std::int8_t>(x, y, tolerance, name);
        case ElementType::u16: return compare_integers<std::uint16_t>(x, y, tolerance, name);
        case ElementType::i16: return compare_integers<std::int16_t>(x, y, tolerance, name);
        case ElementType::u32: return compare_integers<std::uint32_t>(x, y, tolerance, name);
        case ElementType::i32: return compare_integers<std::int32_t>(x, y, tolerance, name);
        case ElementType::u64: return compare_integers<std::uint64_t>(x, y, tolerance, name);
        case ElementType::i64: return compare_integers<std::int64_t>(x, y, tolerance, name);
        case ElementType::f32: return compare_reals<float>(x, y, tolerance, name, 1);
        case ElementType::f64: return compare_reals<double>(x, y, tolerance, name, 1);
        case ElementType::c64: return compare_reals<float>(x, y, tolerance, name, 2);
        case ElementType::c128: return compare_reals<double>(x, y, tolerance, name, 2);
    }
    return disagreement(name + ": a type that cannot be compared");
}

Agreement compare_records(const Json& result, const Json& reference, const Tolerance& tolerance, const std::string& name) {
    Agreement a;
    compare_values(result, reference, tolerance, name, a);
    return a;
}

void merge_into(Agreement& all, const Agreement& one) {
    if (all.agrees && !one.agrees) all.why_not = one.why_not;
    all.agrees = all.agrees && one.agrees;
    all.exact = all.exact && one.exact;
    all.differing += one.differing;
    all.max_error = std::max(all.max_error, one.max_error);
    all.relative = std::max(all.relative, one.relative);
    all.rms = std::max(all.rms, one.rms);
    all.ulp_median = std::max(all.ulp_median, one.ulp_median);
    all.ulp_99 = std::max(all.ulp_99, one.ulp_99);
    all.ulp_max = std::max(all.ulp_max, one.ulp_max);
}

}  // namespace parallax::engine::compare
