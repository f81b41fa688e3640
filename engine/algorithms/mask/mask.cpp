// `mask`: an image inside a mask, a value outside.
#include "algorithms/elementwise/elementwise.hpp"
#include "core/chunking.hpp"
#include "core/make_variant.hpp"

#include <fmt/format.h>

#include <cmath>

namespace parallax::engine {
namespace mask {
namespace {

using namespace elementwise;

struct MaskParameters {
    double value = 0;
};

Pairing checked(const Problem& problem) {
    const ArrayDesc &image = problem.inputs.at("image"), &mask = problem.inputs.at("mask");
    check_image(image, "image");
    if (mask.type != ElementType::u8 && mask.type != ElementType::boolean)
        throw ConfigError("/inputs/mask", mask.describe(), "a mask of type u8 or bool");
    const double value = problem.parameters.as<MaskParameters>().value;
    if (image.type != ElementType::f32) {
        const Limits limits = limits_of(image.type);
        if (value != std::trunc(value) || value < static_cast<double>(limits.low) || value > static_cast<double>(limits.high))
            throw ConfigError("/value", fmt::format("{} for an image of type {}", value, to_string(image.type)),
                              fmt::format("an integer from {} to {}", limits.low, limits.high));
    } else {
        check_kept_by_float(value, "/value");
    }
    return pairing_of(image, mask, "mask");
}

class DevicePlan final : public Plan {
public:
    DevicePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : pass_(builder, "mask/mask.cl", defines(problem), checked(problem), problem.inputs.at("image").count(), policy) {
        visit(problem.inputs.at("image").type, [&]<class T>(T) {
            const T value = static_cast<T>(problem.parameters.as<MaskParameters>().value);
            value_ = builder.constant(&value, sizeof value);
        });
    }
    void enqueue(Execution& x, const Bindings& arrays) override {
        pass_.enqueue(x, "mask", arrays.input("image"), arrays.input("mask"), value_, arrays.output("image"));
    }

private:
    static host::Defines defines(const Problem& problem) {
        host::Defines d;
        return d.add("A", kernel_type(problem.inputs.at("image").type))
            .add("B", "uchar")
            .add("OUT", kernel_type(problem.inputs.at("image").type));
    }
    ElementwisePass pass_;
    host::Buffer value_;
};

void reference(const Problem& problem, const Bindings& arrays, Json&) {
    const Pairing pairing = checked(problem);
    const ArrayDesc& image = problem.inputs.at("image");
    visit(image.type, [&]<class T>(T) {
        const T* in = input<T>(arrays, "image");
        const auto* mask = input<std::uint8_t>(arrays, "mask");
        const T value = static_cast<T>(problem.parameters.as<MaskParameters>().value);
        for (std::int64_t i = 0, n = image.count(); i < n; ++i)
            output<T>(arrays, "image")[i] = mask[pairing.index(i)] != 0 ? in[i] : value;
    });
}

}  // namespace
}  // namespace mask

Algorithm make_mask() {
    using namespace mask;
    Algorithm a;
    a.name = "mask";
    a.summary = "Keeps an image where a mask is not 0; a value elsewhere";
    a.parameters = TableBuilder<MaskParameters>()
                       .number("value", &MaskParameters::value, {},
                               "What elements outside the mask become; an integer of the image's type, or any number for f32.")
                       .build();
    a.inputs = {
        {"image", "u8, u16, i16, u32, i32 or f32, of any shape", true, PortKind::array},
        {"mask", "u8 or bool: the image's shape, or that without channels, or of one slice or frame", true, PortKind::array}};
    a.outputs = {{"image", "the image's type and shape", true, PortKind::array}};
    a.infer = [](const Problem& problem) -> ArrayDescs {
        checked(problem);
        return {{"image", problem.inputs.at("image")}};
    };
    a.warnings = [](const Problem& problem) { return warnings_of_axes(problem, "mask"); };
    a.chunking = [](const Problem& problem) { return along_axes(problem.inputs.at("image")); };
    a.in_place = true;   // one pass over the elements (elementwise/pass.clh), after passes that only read
    a.variants = {make_variant<DevicePlan>(
                      {.name = "device", .summary = "one pass", .role = Role::best, .policy = elementwise::pass_policy()}),
                  elementwise::reference_variant(reference)};
    return a;
}

}  // namespace parallax::engine
