// Numbers that files state are read as they were meant, whatever their unit is: no digits that arithmetic adds.
#include "io/decimal.hpp"
#include "io/half.hpp"

#include <fmt/format.h>

#include "seed.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("decimal: what a file states in one unit is as short in another") {
    CHECK(fmt::format("{}", 33.3 / 1000) == "0.033299999999999996");   // what there was before
    CHECK(fmt::format("{}", io::divided(33.3, 1000)) == "0.0333");
    CHECK(fmt::format("{}", io::scaled(0.1, 25.4)) == "2.54");
    CHECK(fmt::format("{}", io::as_decimal_of_float(0.3f)) == "0.3");
    CHECK(fmt::format("{}", io::as_decimal_by_float(10000 / static_cast<double>(static_cast<float>(10000 / 0.325)))) == "0.325");
    CHECK(io::as_decimal_by_float(25400.0 / 300) == 25400.0 / 300);   // 84.66..., which no short number is
    CHECK(io::scaled(0.1 + 0.2, 1) == 0.1 + 0.2);                     // in its own unit it stays as it is
    CHECK(std::isnan(io::as_decimal(NAN)));
    CHECK(io::as_decimal(INFINITY) == INFINITY);
    CHECK(io::as_decimal(0.0) == 0);
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    for (int turn = 0; turn < 20000; ++turn) {
        const std::int64_t digits = 1 + static_cast<std::int64_t>(random() % 9999999);
        const int power = static_cast<int>(random() % 9) - 6, shift = static_cast<int>(random() % 4) * 3;
        const auto number = [&](int at) { return std::stod(fmt::format("{}e{}", digits, at)); };
        CAPTURE(number(power));
        REQUIRE(io::divided(number(power), number(shift) / static_cast<double>(digits)) == number(power - shift));
        REQUIRE(io::scaled(number(power), std::stod(fmt::format("1e-{}", shift))) == number(power - shift));
        REQUIRE(io::scaled(number(power), std::stod(fmt::format("1e{}", shift))) == number(power + shift));
        const auto stored = static_cast<float>(number(power));
        REQUIRE(static_cast<float>(io::as_decimal_of_float(stored)) == stored);
        const double any = static_cast<double>(random()) / 1e17;
        REQUIRE(std::abs(io::as_decimal(any) - any) <= 4.5e-16 * any);
    }
}

TEST_CASE("decimal: distances and times of files in other units than ours are shown as they were stated") {
    const Folder folder;
    const auto shown = [&](const char* name, char axis) {
        const ArrayDesc desc = io::info(folder / name).desc;
        REQUIRE(desc.find(axis));
        return fmt::format("{}", desc.find(axis)->spacing);
    };
    const HostArray stack = pattern(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 3}, {'x', 4}}));
    put(folder / "a.mha",
        "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementType = MET_UCHAR\nElementSpacing = 0.1 0.3 0.7\nOffset = 0.1 0 "
        "0\n"
        "DistanceUnits = inch\nElementDataFile = LOCAL\n" +
            std::string(24, '\1'));
    CHECK(shown("a.mha", 'x') == "2.54");
    CHECK(shown("a.mha", 'y') == "7.62");
    CHECK(io::info(folder / "a.mha").desc.unit == "mm");
    CHECK(fmt::format("{}", std::abs((*io::info(folder / "a.mha").metadata.affine)[3])) == "2.54");
    for (const char* const name : {"a.nii", "a.nrrd", "a.mha", "a.tif", "a.ome.tif", "a.zarr", "a.h5"}) {
        for (const char* const unit : {"nm", "um", "mm"}) {
            HostArray array = stack;
            array.desc = array.desc.with_unit(unit).with_spacing('x', 0.1).with_spacing('y', 0.7).with_spacing('z', 33.3);
            const double mm = std::string(unit) == "mm" ? 1 : std::string(unit) == "um" ? 1e-3 : 1e-6;
            array.metadata.affine = {-0.1 * mm, 0, 0, 0.3 * mm, 0, -0.7 * mm, 0, 1.1 * mm, 0, 0, 33.3 * mm, 3.3 * mm, 0, 0, 0, 1};
            try {
                io::check_writable(folder / name, array.desc, {});
            } catch (const IoError&) {   // a library that is not here
                continue;
            }
            fs::remove_all(folder / name);
            io::write(folder / name, array);
            CAPTURE(std::string(name) + " " + unit);
            const ArrayDesc back = io::info(folder / name).desc;
            for (const char axis : {'x', 'y', 'z'}) {
                const std::string text = fmt::format("{}", back.find(axis)->spacing);
                INFO(text);
                CHECK(text.size() <= 9);   // .0000333, say, in another unit
            }
        }
    }
}

TEST_CASE("floats of 16 bits: each is its own nearest, and between two the nearer is, or the even one") {
    std::size_t wrong = 0;
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits), next = static_cast<std::uint16_t>(bits + 1);
        const double value = io::widen_half(half), after = bits + 1 < 0x7c00 ? io::widen_half(next) : 65536;
        const double middle = (value + after) / 2, little = (after - value) / 1024;
        const auto even = static_cast<std::uint16_t>(bits % 2 == 0 ? half : next);
        wrong += io::narrow_half(value) != half || io::narrow_half(-value) != (half | 0x8000);
        wrong += io::narrow_half(middle) != even || io::narrow_half(middle - little) != half;
        wrong += io::narrow_half(middle + little) != next;
    }
    CHECK(wrong == 0);
    CHECK(io::narrow_half(1e300) == 0x7c00);
    CHECK(io::narrow_half(-std::numeric_limits<double>::infinity()) == 0xfc00);
    CHECK(std::isnan(io::widen_half(io::narrow_half(std::numeric_limits<double>::quiet_NaN()))));
}
