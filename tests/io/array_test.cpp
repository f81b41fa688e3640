#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("element types have names, sizes and kinds") {
    struct Row {
        ElementType type;
        const char* name;
        std::size_t bytes;
        bool floating, complex;
    };
    const Row rows[] = {{ElementType::boolean, "bool", 1, false, false}, {ElementType::u8, "u8", 1, false, false},
                        {ElementType::i8, "i8", 1, false, false},        {ElementType::u16, "u16", 2, false, false},
                        {ElementType::i16, "i16", 2, false, false},      {ElementType::u32, "u32", 4, false, false},
                        {ElementType::i32, "i32", 4, false, false},      {ElementType::u64, "u64", 8, false, false},
                        {ElementType::i64, "i64", 8, false, false},      {ElementType::f32, "f32", 4, true, false},
                        {ElementType::f64, "f64", 8, true, false},       {ElementType::c64, "c64", 8, false, true},
                        {ElementType::c128, "c128", 16, false, true}};
    for (const Row& row : rows) {
        CAPTURE(std::string(row.name));
        CHECK(to_string(row.type) == row.name);
        CHECK(element_type_from(row.name) == row.type);
        CHECK(bytes_of(row.type) == row.bytes);
        CHECK(is_floating(row.type) == row.floating);
        CHECK(is_complex(row.type) == row.complex);
    }
    CHECK_FALSE(element_type_from("f16"));
    CHECK_FALSE(element_type_from(""));
}

TEST_CASE("a dense description knows its strides, sizes and words") {
    const ArrayDesc desc =
        ArrayDesc::dense(ElementType::u16, {{'t', 5}, {'y', 480}, {'x', 640}}).with_spacing('x', 1.4).with_unit("um");
    CHECK(desc.axes[0].stride == 640 * 480);
    CHECK(desc.axes[1].stride == 640);
    CHECK(desc.axes[2].stride == 1);
    CHECK(desc.size('y') == 480);
    CHECK(desc.size('z') == 1);
    CHECK(desc.find('z') == nullptr);
    CHECK(desc.find('x')->spacing == 1.4);
    CHECK(desc.count() == 5 * 480 * 640);
    CHECK(desc.dense_bytes() == 2u * 5 * 480 * 640);
    CHECK(desc.is_dense());
    CHECK(desc.describe() == "u16 5 x 480 x 640 (t, y, x)");
    CHECK(ArrayDesc::dense(ElementType::f32, {}).describe() == "f32 scalar");
    CHECK(ArrayDesc::dense(ElementType::f32, {}).count() == 1);
    CHECK(desc.with_type(ElementType::c64).dense_bytes() == 8u * 5 * 480 * 640);
    CHECK(desc.with_type(ElementType::c64).unit == "um");
}

TEST_CASE("sizes that cannot be addressed are refused") {
    constexpr std::int64_t large = std::int64_t{1} << 40;
    CHECK_THROWS_AS(ArrayDesc::dense(ElementType::u8, {{'y', large}, {'x', large}}), Error);
    CHECK_THROWS_AS(ArrayDesc::dense(ElementType::f64, {{'y', std::int64_t{1} << 31}, {'x', std::int64_t{1} << 31}}), Error);
    CHECK_THROWS_AS(ArrayDesc::dense(ElementType::u8, {{'x', -1}}), Error);
    CHECK_THROWS_AS(ArrayDesc::dense(ElementType::u8, {{'z', 0}, {'y', large}, {'x', large}}), Error);
    CHECK(ArrayDesc::dense(ElementType::u8, {{'y', 0}, {'x', 7}}).count() == 0);
    CHECK_THROWS_AS(HostArray::make(ArrayDesc::dense(ElementType::u8, {{'x', std::int64_t{1} << 60}})), Error);
}

TEST_CASE("host memory is aligned, and strided arrays become dense") {
    const HostArray whole = pattern(ArrayDesc::dense(ElementType::u16, {{'y', 6}, {'x', 9}}));
    CHECK(reinterpret_cast<std::uintptr_t>(whole.data()) % 64 == 0);
    CHECK(whole.to_dense().memory == whole.memory);

    HostArray part = whole;  // rows 1 to 3, every second column from 2 on, as columns by rows
    part.metadata.notes["saved"] = "yes";
    part.desc.offset = 9 + 2;
    part.desc.axes = {{'x', 3, 2, 1.5}, {'y', 3, 9, 1.0}};
    part.desc.unit = "mm";
    CHECK_FALSE(part.desc.is_dense());
    const HostArray dense = part.to_dense();
    CHECK(dense.desc.is_dense());
    CHECK(dense.desc.unit == "mm");
    CHECK(dense.desc.find('x')->spacing == 1.5);
    CHECK(dense.metadata.notes.at("saved") == "yes");
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            CHECK(dense.as<std::uint16_t>()[i * 3 + j] == whole.as<std::uint16_t>()[(1 + j) * 9 + 2 + 2 * i]);
    }
}

TEST_CASE("the stride of an axis with one index does not matter") {
    ArrayDesc desc = ArrayDesc::dense(ElementType::u8, {{'z', 1}, {'y', 4}, {'x', 5}});
    desc.axes[0].stride = 12345;
    CHECK(desc.is_dense());
    desc.axes[1].stride = 8;
    CHECK_FALSE(desc.is_dense());
}
