// `arithmetic`: an image with another or with a number, element by element.
#include "algorithms/arithmetic/op.hpp"
#include "algorithms/elementwise/elementwise.hpp"
#include "core/chunking.hpp"
#include "core/make_variant.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <type_traits>

namespace parallax::engine {
namespace arithmetic {
namespace {

using namespace elementwise;

struct Range {
    double low = 0, high = 1;
    bool operator==(const Range&) const = default;
};

struct ArithmeticParameters {
    Op op = Op::add;
    double value = 0;
    std::optional<Range> range;
};

const ParameterTable& range_table() {
    static const auto& table = *new ParameterTable(TableBuilder<Range>()
        .number("low", &Range::low, {}, "Smaller elements become this.")
        .number("high", &Range::high, {}, "Larger elements become this.")
        .build());   // to the end: for after main()
    return table;
}

ParameterTable arithmetic_table() {
    using P = ArithmeticParameters;
    return TableBuilder<P>()
        .choice("op", &P::op,
                {{"add", Op::add},
                 {"subtract", Op::subtract},
                 {"multiply", Op::multiply},
                 {"divide", Op::divide},
                 {"log", Op::log},
                 {"exp", Op::exp},
                 {"abs", Op::abs},
                 {"sqrt", Op::sqrt},
                 {"clamp", Op::clamp}},
                "What is done to each element. Integers saturate; divide, log (natural), exp and sqrt give f32.")
        .number(
            "value", &P::value, {},
            "add, subtract, multiply, divide without an array `other`: the second operand, not 0. An integer for integer images.")
        .object("range", &P::range, range_table(), {}, "clamp: the ends that elements are cut off at.")
        .build();
}

bool has_operand(Op op) { return op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide; }
bool gives_real(Op op) { return op == Op::divide || op == Op::log || op == Op::exp || op == Op::sqrt; }

/// Everything checked.
struct Asked {
    Op op = Op::add;
    ElementType type = ElementType::f32, result = ElementType::f32;
    std::int64_t count = 0;
    Pairing pairing;                         ///< none: values
    std::array<double, 2> values = {0, 0};   ///< the second operand, or low and high
};

void check_number(double value, ElementType type, const char* pointer) {
    if (type == ElementType::f32) return;
    if (value != std::trunc(value) || value < -2147483648.0 || value > 4294967295.0)
        throw ConfigError(pointer, fmt::format("{} for an image of type {}", value, to_string(type)),
                          "an integer from -2147483648 to 4294967295", "convert the image to f32 first");
}

Asked asked_of(const Problem& problem) {
    const auto& p = problem.parameters.as<ArithmeticParameters>();
    const ArrayDesc& image = problem.inputs.at("image");
    check_image(image, "image");
    Asked asked;
    asked.op = p.op;
    asked.type = image.type;
    asked.result = gives_real(p.op) ? ElementType::f32 : image.type;
    asked.count = image.count();
    const auto other = problem.inputs.find("other");
    const bool two = other != problem.inputs.end();
    if (!has_operand(p.op)) {
        if (two) throw ConfigError("/inputs/other", other->second.describe(), "no second array: this op has one operand");
        if (p.value != 0) throw ConfigError("/value", fmt::format("{}", p.value), "no value: this op has one operand");
    } else if (two) {
        if (p.value != 0) throw ConfigError("/value", fmt::format("{} beside an array `other`", p.value), "one of them");
        if (other->second.type != image.type)
            throw ConfigError("/inputs/other", other->second.describe(),
                              fmt::format("elements of the image's type, {}", to_string(image.type)),
                              "convert one of them first");
        asked.pairing = pairing_of(image, other->second, "other");
    } else {
        if (p.value == 0)
            throw ConfigError("/value", "0, and no array `other`", "a second operand",
                              "give a value that is not 0, or connect `other`");
        check_number(p.value, asked.result, "/value");
        const auto single = static_cast<float>(p.value);
        if (asked.result == ElementType::f32 && !is_kept_by_float(p.value))
            throw ConfigError("/value", fmt::format("{}, which is {} as f32, in which this is computed", p.value, single),
                              numbers_of_float, "two steps, one behind the other, take two factors");
        asked.values[0] = p.value;
    }
    if ((p.op == Op::clamp) != p.range.has_value())
        throw ConfigError("/range", p.range ? "a range" : "no range", p.range ? "a range for clamp only" : "the range of clamp",
                          p.range ? "" : "add \"range\": {\"low\": 0, \"high\": 1}");
    if (p.range) {
        if (!(p.range->low <= p.range->high))
            throw ConfigError("/range", fmt::format("[{}, {}]", p.range->low, p.range->high), "low up to high");
        asked.values = {p.range->low, p.range->high};
        for (double& end : asked.values) {
            check_number(end, image.type, "/range");
            if (image.type == ElementType::f32) {
                check_kept_by_float(end, "/range");
                continue;
            }
            const Limits limits = limits_of(image.type);
            end = std::min(std::max(end, static_cast<double>(limits.low)), static_cast<double>(limits.high));
        }
    }
    return asked;
}

class DevicePlan final : public Plan {
public:
    DevicePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy) {
        const Asked asked = asked_of(problem);
        two_ = asked.pairing.kind != Pairing::none;
        const bool real = asked.result == ElementType::f32;
        host::Defines d;
        d.add("OP", static_cast<std::int64_t>(asked.op)).add("HAS_OTHER", two_);
        define_type(d, "A", asked.type);
        define_type(d, "B", asked.type);
        define_type(d, "OUT", asked.result);
        pass_.emplace(builder, "arithmetic/arithmetic.cl", d, asked.pairing, asked.count, policy);
        if (real)
            parameters_ =
                builder.constant(std::vector<float>{static_cast<float>(asked.values[0]), static_cast<float>(asked.values[1])});
        else
            parameters_ = builder.constant(std::vector<std::int64_t>{static_cast<std::int64_t>(asked.values[0]),
                                                                     static_cast<std::int64_t>(asked.values[1])});
    }
    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer& image = arrays.input("image");
        pass_->enqueue(x, "arithmetic", image, two_ ? arrays.input("other") : image, parameters_, arrays.output("image"));
    }

private:
    bool two_ = false;
    std::optional<ElementwisePass> pass_;
    host::Buffer parameters_;
};

float real_result(Op op, float x, const std::array<float, 2>& v) {
    switch (op) {
        case Op::add: return x + v[0];
        case Op::subtract: return x - v[0];
        case Op::multiply: return x * v[0];
        case Op::divide: return x / v[0];
        case Op::log: return std::log(x);
        case Op::exp: return std::exp(x);
        case Op::abs: return std::abs(x);
        case Op::sqrt: return std::sqrt(x);
        default: return x < v[0] ? v[0] : x > v[1] ? v[1] : x;
    }
}

std::int64_t integer_result(Op op, std::int64_t x, const std::array<std::int64_t, 2>& v, Limits limits) {
    std::int64_t result = 0;
    switch (op) {
        case Op::add: result = x + v[0]; break;
        case Op::subtract: result = x - v[0]; break;
        case Op::multiply: {   // a product that may be beyond 64 bits is beyond every type
            const double about = static_cast<double>(x) * static_cast<double>(v[0]);
            result = about > 1e18 ? limits.high : about < -1e18 ? limits.low : x * v[0];
            break;
        }
        case Op::abs: result = x < 0 ? -x : x; break;
        default: result = x < v[0] ? v[0] : x > v[1] ? v[1] : x;
    }
    return std::min(std::max(result, limits.low), limits.high);
}

void reference(const Problem& problem, const Bindings& arrays, Json&) {
    const Asked asked = asked_of(problem);
    const bool two = asked.pairing.kind != Pairing::none;
    visit(asked.type, [&]<class T>(T) {
        const T *in = input<T>(arrays, "image"), *other = two ? input<T>(arrays, "other") : nullptr;
        const auto operands = [&]<class W>(std::int64_t i, W) {
            std::array<W, 2> v = {static_cast<W>(asked.values[0]), static_cast<W>(asked.values[1])};
            if (two) v[0] = static_cast<W>(other[asked.pairing.index(i)]);
            return v;
        };
        if (asked.result == ElementType::f32) {
            float* out = output<float>(arrays, "image");
            for (std::int64_t i = 0; i < asked.count; ++i)
                out[i] = real_result(asked.op, static_cast<float>(in[i]), operands(i, float{}));
        } else {
            T* out = output<T>(arrays, "image");
            for (std::int64_t i = 0; i < asked.count; ++i)
                out[i] = static_cast<T>(integer_result(asked.op, static_cast<std::int64_t>(in[i]), operands(i, std::int64_t{}),
                                                       limits_of(asked.type)));
        }
    });
}

}  // namespace
}  // namespace arithmetic

Algorithm make_arithmetic() {
    using namespace arithmetic;
    Algorithm a;
    a.name = "arithmetic";
    a.summary = "An image with another or with a number: sums, products, logarithms and the like";
    a.parameters = arithmetic_table();
    a.inputs = {{"image", "u8, u16, i16, u32, i32 or f32, of any shape", true, PortKind::array},
                {"other", "of the image's type and shape, or its shape without channels, or of one slice or frame", false,
                 PortKind::array}};
    a.outputs = {{"image", "the image's shape; its type, or f32 for divide, log, exp and sqrt", true, PortKind::array}};
    a.infer = [](const Problem& problem) -> ArrayDescs {
        return {{"image", problem.inputs.at("image").with_type(asked_of(problem).result)}};
    };
    a.warnings = [](const Problem& problem) { return warnings_of_axes(problem, "other"); };
    a.chunking = [](const Problem& problem) { return along_axes(problem.inputs.at("image")); };
    a.in_place = true;   // one pass over the elements (elementwise/pass.clh), after passes that only read
    a.variants = {make_variant<DevicePlan>(
                      {.name = "device", .summary = "one pass", .role = Role::best, .policy = elementwise::pass_policy()}),
                  elementwise::reference_variant(reference)};
    return a;
}

}  // namespace parallax::engine
