#include "agreement/agreement.hpp"
#include "jobs/support.hpp"

#include <limits>

using namespace parallax;
using namespace parallax::engine::compare;
using namespace parallax::tests;

TEST_CASE("agreement: reals within the tolerance of the largest magnitude, with figures") {
    const HostArray reference = floats(4, 1, {1, -100, 0, 3});
    HostArray near = floats(4, 1, {1, -100.0005f, 0, 3}), far = floats(4, 1, {1, -100, 0.01f, 3});
    const Agreement good = compare_arrays(near, reference, {1e-5, 0}, "image");
    CHECK(good.agrees);
    CHECK_FALSE(good.exact);
    CHECK(good.differing == 1);
    CHECK(good.relative == doctest::Approx(5e-6).epsilon(0.1));
    CHECK(good.ulp_max > 10);
    CHECK(good.ulp_median == 0);
    const Agreement bad = compare_arrays(far, reference, {1e-5, 0}, "image");
    CHECK_FALSE(bad.agrees);
    CHECK(contains(bad.why_not, "image"));
    CHECK(contains(bad.why_not, "[0, 2]"));
    CHECK(compare_arrays(reference, reference, {0, 0}, "image").exact);
}

TEST_CASE("agreement: NaN and infinity are where the reference has them and nowhere else") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const HostArray reference = floats(3, 1, {nan, inf, 1});
    CHECK(compare_arrays(floats(3, 1, {nan, inf, 1}), reference, {}, "a").agrees);
    CHECK_FALSE(compare_arrays(floats(3, 1, {nan, inf, nan}), reference, {1e9, 0}, "a").agrees);
    CHECK_FALSE(compare_arrays(floats(3, 1, {nan, -inf, 1}), reference, {1e9, 0}, "a").agrees);
    CHECK_FALSE(compare_arrays(floats(3, 1, {0, inf, 1}), reference, {1e9, 0}, "a").agrees);
}

TEST_CASE("agreement: integers are exact unless levels are allowed; shapes and types must match") {
    const HostArray reference = ramp(16, 2);
    HostArray other = ramp(16, 2);
    CHECK(compare_arrays(other, reference, {}, "image").exact);
    other.data()[5] = std::byte{7};
    CHECK_FALSE(compare_arrays(other, reference, {1, 1}, "image").agrees);
    CHECK(compare_arrays(other, reference, {0, 2}, "image").agrees);
    CHECK_FALSE(compare_arrays(ramp(2, 16), reference, {1, 255}, "image").agrees);
    CHECK_FALSE(compare_arrays(floats(16, 2, std::vector<float>(32)), reference, {1, 255}, "image").agrees);
}

TEST_CASE("agreement: integers of 64 bits that no double tells apart differ") {
    const std::uint64_t large[] = {std::uint64_t{1} << 53, std::uint64_t{1} << 63, ~std::uint64_t{0} - 1};
    for (const std::uint64_t number : large) {
        CAPTURE(number);
        const Json a{{"value", number}}, b{{"value", number + 1}};
        CHECK(compare_records(a, a, {}, "r").exact);
        CHECK_FALSE(compare_records(a, b, {}, "r").agrees);
        CHECK_FALSE(compare_records(b, a, {}, "r").agrees);
        HostArray x = HostArray::make(ArrayDesc::dense(ElementType::u64, {{'x', 1}})), y = HostArray::make(x.desc);
        x.as<std::uint64_t>()[0] = number;
        y.as<std::uint64_t>()[0] = number + 1;
        CHECK_FALSE(compare_arrays(x, y, {}, "a").agrees);
        CHECK(compare_arrays(x, y, {}, "a").max_error == 1);
    }
    HostArray x = HostArray::make(ArrayDesc::dense(ElementType::i64, {{'x', 1}})), y = HostArray::make(x.desc);
    x.as<std::int64_t>()[0] = std::numeric_limits<std::int64_t>::min();
    y.as<std::int64_t>()[0] = std::numeric_limits<std::int64_t>::max();
    CHECK(compare_arrays(x, y, {}, "a").max_error == 0x1p64);   // further apart than their type holds
    CHECK_FALSE(compare_records({{"v", -1}}, {{"v", ~std::uint64_t{0}}}, {}, "r").agrees);
}

TEST_CASE("agreement: records, key by key") {
    const Json reference = Json::parse(R"({"count": 7, "dimension": 2.5, "levels": [1, 2], "why": "by size", "none": null})");
    CHECK(compare_records(reference, reference, {}, "counts").exact);
    Json other = reference;
    other["dimension"] = 2.5000001;
    CHECK(compare_records(other, reference, {}, "counts").agrees);
    other["dimension"] = 2.6;
    CHECK(contains(compare_records(other, reference, {}, "counts").why_not, "counts.dimension"));
    other = reference;
    other["levels"][1] = 3;
    CHECK(contains(compare_records(other, reference, {}, "counts").why_not, "counts.levels[1]"));
    other = reference;
    other.erase("count");
    CHECK_FALSE(compare_records(other, reference, {}, "counts").agrees);
}

TEST_CASE("agreement: tolerances as they are written") {
    CHECK(tolerance_for(nullptr, "image", "/tolerance").relative == 1e-5);
    CHECK(tolerance_for(0.5, "image", "/tolerance").relative == 0.5);
    CHECK(tolerance_for(Json{{"levels", 2}}, "image", "/tolerance").levels == 2);
    CHECK(tolerance_for(Json{{"image", 1e-3}, {"relative", 1e-6}}, "image", "/tolerance").relative == 1e-3);
    CHECK(tolerance_for(Json{{"image", 1e-3}, {"relative", 1e-6}}, "other", "/tolerance").relative == 1e-6);
    CHECK(error_of<ConfigError>([] { tolerance_for("small", "image", "/tolerance"); }).pointer == "/tolerance");
}
