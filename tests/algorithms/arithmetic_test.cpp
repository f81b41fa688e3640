// arithmetic and mask: the reference by values worked out by hand, devices by the reference.
#include "parallax/host/error.hpp"
#include "steps.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace parallax::engine {
Algorithm make_arithmetic();
Algorithm make_mask();
}

namespace {

template <class T>
std::vector<T> computed(ElementType type, const Json& parameters, const std::vector<T>& image, const std::vector<T>& other = {}) {
    const ArrayDesc desc = row_of(type, static_cast<std::int64_t>(image.size()));
    NamedValues inputs{{"image", values_of(desc, image)}};
    if (!other.empty()) inputs["other"] = values_of(desc, other);
    return reference_of(make_arithmetic(), parameters, inputs).arrays.at("image").list<T>();
}

std::vector<ElementType> types() {
    return {ElementType::u8, ElementType::u16, ElementType::i16, ElementType::u32, ElementType::i32, ElementType::f32};
}

}  // namespace

TEST_CASE("arithmetic: integers saturate, real numbers do not") {
    const ElementType u8 = ElementType::u8, i16 = ElementType::i16, u32 = ElementType::u32, i32 = ElementType::i32,
                      f32 = ElementType::f32;
    using B = std::vector<std::uint8_t>;
    using S = std::vector<std::int16_t>;
    using U = std::vector<std::uint32_t>;
    using I = std::vector<std::int32_t>;
    using F = std::vector<float>;
    CHECK(computed(u8, {{"op", "add"}, {"value", 10}}, B{0, 245, 246, 255}) == B{10, 255, 255, 255});
    CHECK(computed(u8, {{"op", "subtract"}}, B{5, 7, 255}, B{7, 5, 255}) == B{0, 2, 0});
    CHECK(computed(u8, {{"op", "multiply"}, {"value", -1}}, B{0, 7}) == B{0, 0});
    CHECK(computed(i16, {{"op", "abs"}}, S{-32768, -3, 4}) == S{32767, 3, 4});
    CHECK(computed(i16, {{"op", "clamp"}, {"range", {{"low", -2}, {"high", 100000}}}}, S{-9, 5, 32767}) == S{-2, 5, 32767});
    CHECK(computed(u32, {{"op", "multiply"}}, U{65536, 65535, 4294967295u, 0}, U{65536, 65537, 4294967295u, 9}) ==
          U{4294967295u, 4294967295u, 4294967295u, 0});
    CHECK(computed(i32, {{"op", "multiply"}}, I{-2147483647 - 1, 46341, -46341}, I{-2147483647 - 1, 46341, 46341}) ==
          I{2147483647, 2147483647, -2147483647 - 1});
    CHECK(computed(f32, {{"op", "divide"}, {"value", 4}}, F{1, -2, 0}) == F{0.25f, -0.5f, 0});
    CHECK(computed(f32, {{"op", "sqrt"}}, F{9, 2.25f}) == F{3, 1.5f});
    CHECK(std::isnan(computed(f32, {{"op", "clamp"}, {"range", {{"low", 0}, {"high", 1}}}}, F{std::nanf("")})[0]));
    const Values levels = values_of(row_of(u8, 3), B{0, 1, 255});
    const auto logarithms = reference_of(make_arithmetic(), {{"op", "log"}}, {{"image", levels}}).floats();
    CHECK(logarithms == F{-std::numeric_limits<float>::infinity(), 0, std::log(255.0f)});
    CHECK(reference_of(make_arithmetic(), {{"op", "divide"}, {"value", 2}}, {{"image", levels}}).floats() == F{0, 0.5f, 127.5f});
}

TEST_CASE("arithmetic: devices give what the reference gives, for every type, operation and size") {
    const Algorithm algorithm = make_arithmetic();
    const Json range = {{"op", "clamp"}, {"range", {{"low", 20}, {"high", 90}}}};
    struct Row { Json parameters; ElementType type; bool two; double tolerance; };
    const Row rows[] = {{{{"op", "add"}, {"value", 100}}, ElementType::u8, false, 0},
                        {{{"op", "subtract"}}, ElementType::u16, true, 0},
                        {{{"op", "multiply"}}, ElementType::u32, true, 0},
                        {{{"op", "multiply"}}, ElementType::i32, true, 0},
                        {{{"op", "abs"}}, ElementType::i16, false, 0},
                        {range, ElementType::u8, false, 0},
                        {range, ElementType::f32, false, 0},
                        {{{"op", "subtract"}, {"value", 0.1}}, ElementType::f32, false, 0},
                        {{{"op", "divide"}}, ElementType::f32, true, 3e-7},
                        {{{"op", "log"}}, ElementType::f32, false, 1.2e-7},
                        {{{"op", "exp"}}, ElementType::f32, false, 5e-7},
                        {{{"op", "sqrt"}}, ElementType::i32, false, 5e-7}};
    each_kernel_device([&](StepBench& bench) {
        for (const Row& row : rows) {
            CAPTURE(row.parameters.dump());
            for (const std::int64_t size : {0, 1, 3, 4, 5, 1021, 100003}) {
                CAPTURE(size);
                const bool finite_only = row.tolerance != 0 && row.parameters.at("op") != "log";
                NamedValues inputs{{"image", random_values(row_of(row.type, size), !finite_only)}};
                if (row.two) inputs["other"] = random_values(row_of(row.type, size), !finite_only, 4);
                const Values want = reference_of(algorithm, row.parameters, inputs).arrays.at("image");
                CHECK(same(bench.run(algorithm, row.parameters, inputs).arrays.at("image"), want, row.tolerance));
            }
        }
        // So many that a work-item's loops are long.
        const NamedValues many{{"image", random_values(row_of(ElementType::u8, 2500003))}};
        CHECK(same(bench.run(algorithm, rows[0].parameters, many).arrays.at("image"),
                   reference_of(algorithm, rows[0].parameters, many).arrays.at("image")));
        // As on a GPU.
        const NamedValues inputs{{"image", random_values(row_of(ElementType::u16, 5003))},
                                 {"other", random_values(row_of(ElementType::u16, 5003), false, 4)}};
        const Json subtract = {{"op", "subtract"}}, policy = {{"work_group_size", 64}};
        CHECK(same(bench.run(algorithm, subtract, inputs, {}, policy).arrays.at("image"),
                   reference_of(algorithm, subtract, inputs).arrays.at("image")));
    });
}

TEST_CASE("arithmetic and mask: an operand for all channels, or for every slice") {
    const ArrayDesc stack = ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 7}, {'x', 5}, {'c', 3}});
    const NamedValues image{{"image", random_values(stack)}};
    const ArrayDesc others[] = {stack, ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 7}, {'x', 5}}),
                                ArrayDesc::dense(ElementType::u8, {{'y', 7}, {'x', 5}, {'c', 3}}),
                                ArrayDesc::dense(ElementType::u8, {{'c', 3}})};
    for (const ArrayDesc& other : others) {
        CAPTURE(other.describe());
        NamedValues two = image, masked = image;
        two["other"] = random_values(other, false, 8);
        masked["mask"] = two["other"];
        for (std::byte& b : masked["mask"].bytes) b &= std::byte{0x81};   // some are 0
        Bytes sums, kept;
        for (std::int64_t i = 0; i < stack.count(); ++i) {
            const std::int64_t at = other.axes.size() == 4 ? i : other.axes.back().name == 'x' ? i / 3 : i % other.count();
            const int a = image.at("image").as<std::uint8_t>()[i], b = two["other"].as<std::uint8_t>()[at];
            sums.push_back(static_cast<std::byte>(std::min(a + b, 255)));
            kept.push_back(static_cast<std::byte>((b & 0x81) != 0 ? a : 9));
        }
        CHECK(reference_of(make_arithmetic(), {{"op", "add"}}, two).arrays.at("image").bytes == sums);
        CHECK(reference_of(make_mask(), {{"value", 9}}, masked).arrays.at("image").bytes == kept);
        each_kernel_device([&](StepBench& bench) {
            CHECK(bench.run(make_arithmetic(), {{"op", "add"}}, two).arrays.at("image").bytes == sums);
            CHECK(bench.run(make_mask(), {{"value", 9}}, masked, {}, {{"work_group_size", 64}}).arrays.at("image").bytes ==
                  kept);   // as on a GPU
        });
    }
}

TEST_CASE("mask: every type and size") {
    const Algorithm algorithm = make_mask();
    each_kernel_device([&](StepBench& bench) {
        for (const ElementType type : types())
            for (const std::int64_t size : {0, 1, 3, 4, 5, 4099}) {
                CAPTURE(to_string(type));
                CAPTURE(size);
                NamedValues inputs{{"image", random_values(row_of(type, size), true)},
                                   {"mask", random_values(row_of(ElementType::u8, size))}};
                for (std::byte& b : inputs["mask"].bytes) b &= std::byte{0x81};
                CHECK(same(bench.run(algorithm, {{"value", 7}}, inputs).arrays.at("image"),
                           reference_of(algorithm, {{"value", 7}}, inputs).arrays.at("image")));
            }
    });
}

TEST_CASE("arithmetic and mask: what makes no sense is refused where it stands") {
    const Algorithm arithmetic = make_arithmetic(), mask = make_mask();
    const ArrayDesc grey = ArrayDesc::dense(ElementType::u8, {{'y', 4}, {'x', 6}}), real = grey.with_type(ElementType::f32);
    const auto refused = [](const Algorithm& algorithm, const Json& parameters, const ArrayDescs& inputs, const char* pointer) {
        CAPTURE(parameters.dump());
        try {
            algorithm.infer({inputs, algorithm.parameters.parse(parameters, ""), {"image"}});
            FAIL("not refused");
        } catch (const ConfigError& e) {
            CHECK(e.pointer == pointer);
        }
    };
    refused(arithmetic, {{"op", "add"}}, {{"image", grey}}, "/value");
    refused(arithmetic, {{"op", "add"}, {"value", 0.5}}, {{"image", grey}}, "/value");
    refused(arithmetic, {{"op", "add"}, {"value", 1}}, {{"image", grey}, {"other", grey}}, "/value");
    refused(arithmetic, {{"op", "log"}, {"value", 1}}, {{"image", grey}}, "/value");
    refused(arithmetic, {{"op", "clamp"}}, {{"image", grey}}, "/range");
    refused(arithmetic, {{"op", "abs"}, {"range", Json::object()}}, {{"image", grey}}, "/range");
    refused(arithmetic, {{"op", "clamp"}, {"range", {{"low", 2}, {"high", 1}}}}, {{"image", grey}}, "/range");
    refused(arithmetic, {{"op", "add"}}, {{"image", grey}, {"other", real}}, "/inputs/other");
    refused(arithmetic, {{"op", "add"}}, {{"image", grey}, {"other", ArrayDesc::dense(ElementType::u8, {{'y', 6}, {'x', 4}})}},
            "/inputs/other");
    refused(arithmetic, {{"op", "abs"}}, {{"image", grey.with_type(ElementType::c64)}}, "/inputs/image");
    refused(mask, {{"value", 256}}, {{"image", grey}, {"mask", grey}}, "/value");
    refused(mask, {{"value", 0.5}}, {{"image", grey}, {"mask", grey}}, "/value");
    refused(mask, Json::object(), {{"image", grey}, {"mask", real}}, "/inputs/mask");
    refused(mask, Json::object(), {{"image", grey}, {"mask", ArrayDesc::dense(ElementType::u8, {{'x', 4}})}}, "/inputs/mask");
}
