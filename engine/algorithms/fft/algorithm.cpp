// `fft`: what goes in, what comes out, which shapes; the transforms are in files of their own.
#include "algorithms/fft/libraries.hpp"
#include "algorithms/fft/parameters.hpp"
#include "core/carry.hpp"
#include "core/chunking.hpp"
#include "core/hints.hpp"
#include "core/make_variant.hpp"
#include "core/plan.hpp"
#include "core/turned.hpp"

#include <fmt/format.h>

#include <functional>

namespace parallax::engine {
namespace {

using namespace fft;

const ArrayDesc& input_of(const Problem& problem) { return problem.inputs.at("array"); }

void check(const FftParameters& p, const ArrayDesc& desc) {
    const ElementType wanted = p.kind == Kind::r2c || p.kind == Kind::dct ? ElementType::f32 : ElementType::c64;
    if (desc.type != wanted)
        throw ConfigError("/inputs/array", desc.describe(), fmt::format("elements of type {}", to_string(wanted)),
                          desc.type == ElementType::f32   ? "\"kind\": \"r2c\" and \"dct\" transform real arrays"
                          : desc.type == ElementType::c64 ? "\"kind\": \"c2c\" transforms complex arrays"
                          : wanted == ElementType::c64 ? how_to_convert(desc) + "; then \"kind\": \"r2c\" transforms real arrays"
                                                       : how_to_convert(desc));
    if (desc.axes.size() < static_cast<std::size_t>(p.dimensions))
        throw ConfigError("/inputs/array", desc.describe(), "an array of two axes or more",
                          "\"dimensions\": 1 transforms along one axis");
    for (std::size_t i = desc.axes.size() - static_cast<std::size_t>(p.dimensions); i < desc.axes.size(); ++i) {
        if (desc.axes[i].name == 'c')
            throw ConfigError("/inputs/array", desc.describe(), "an array without channels among the axes that are transformed",
                              "select one channel first");
    }
    if (is_turned(desc)) throw ConfigError("/inputs/array", desc.describe(), "y before x");
    if (desc.count() == 0) throw ConfigError("/inputs/array", desc.describe(), "an array with at least one element");
    if (!desc.is_dense()) throw ConfigError("/inputs/array", desc.describe() + " with gaps", "a dense array");
    if (p.kind == Kind::r2c && p.direction == Way::inverse)
        throw ConfigError("/direction", "\"inverse\"", "\"forward\" with kind r2c", "the inverse of r2c is \"kind\": \"c2r\"");
    if (p.kind == Kind::c2r && p.direction == Way::forward)
        throw ConfigError("/direction", "\"forward\"", "\"inverse\" with kind c2r",
                          "the forward transform of real arrays is \"kind\": \"r2c\"");
}

ArrayDescs infer(const Problem& problem) {
    const auto& p = problem.parameters.as<FftParameters>();
    const ArrayDesc& input = input_of(problem);
    check(p, input);
    const TransformSpec spec = spec_of(p, input);
    std::vector<ArrayDesc::Extent> extents;
    for (const Axis& axis : input.axes) extents.push_back({axis.name, axis.size});
    extents.back().size = p.kind == Kind::r2c ? spec.width / 2 + 1 : spec.width;
    ArrayDesc output =
        ArrayDesc::dense(p.kind == Kind::c2r || p.kind == Kind::dct ? ElementType::f32 : ElementType::c64, extents);
    output.unit = input.unit;
    // One step of a transformed axis is a frequency of 1 / (size * spacing), of a cosine transform half of that.
    const std::size_t first = input.axes.size() - static_cast<std::size_t>(p.dimensions);
    for (std::size_t i = 0; i < input.axes.size(); ++i) {
        const double spacing = input.axes[i].spacing;
        const std::int64_t size = i + 1 == input.axes.size() ? spec.width : input.axes[i].size;
        const double length = static_cast<double>(size) * spacing * (p.kind == Kind::dct ? 2 : 1);
        // What time becomes is no time: an axis t is in seconds.
        output.axes[i].spacing = i < first ? spacing : input.axes[i].name == 't' ? 0 : 1.0 / length;
    }
    if (!input.unit.empty()) output.unit = input.unit.starts_with("1/") ? input.unit.substr(2) : "1/" + input.unit;
    return {{"array", output}};
}

/// An array has one unit for all its lengths.
std::vector<std::string> unit_warnings(const Problem& problem) {
    const auto& p = problem.parameters.as<FftParameters>();
    const ArrayDesc& input = input_of(problem);
    std::string left;
    for (std::size_t i = 0; i + static_cast<std::size_t>(p.dimensions) < input.axes.size(); ++i)
        if (std::string_view("xyz").find(input.axes[i].name) != std::string_view::npos)
            left +=
                fmt::format("{}{} ({:g} {})", left.empty() ? "" : ", ", input.axes[i].name, input.axes[i].spacing, input.unit);
    if (left.empty() || input.unit.empty()) return {};
    return {fmt::format("{} stays as it is, and the result's unit is that of the axes that are transformed: its number is kept, "
                        "its unit is not",
                        left)};
}

/// Two real lines go through a cosine transform as one complex line (kernels_cl/fft/cosine.cl), and each leaves its rounding in
/// the other: chunks begin with the first of a pair. Along an axis within others that asks for an even number of lines in each of
/// their indices, too.
void keep_pairs(Division& lines, const ArrayDesc& input, std::size_t dimensions) {
    std::vector<Chunking> kept;
    std::int64_t outside = 1;
    for (std::size_t i = 0; i < input.axes.size(); ++i) {
        std::int64_t below = 1;   // lines of an index of the axes outside, at least
        for (std::size_t k = i; k + dimensions < input.axes.size(); ++k) below *= input.axes[k].size;
        for (Chunking way : lines.ways) {
            if (way.axis != input.axes[i].name || (outside > 1 && below % 2 != 0)) continue;
            way.align = below / std::max<std::int64_t>(input.axes[i].size, 1) % 2 == 0 ? 1 : 2;   // of one index
            kept.push_back(way);
        }
        outside *= input.axes[i].size;
    }
    lines.ways = std::move(kept);
    if (lines.ways.empty()) lines.why_not = "its lines go two by two, and their number in a slice is odd";
}

using WhyNot = std::function<std::string(const TransformSpec&, host::Context&)>;
using Make = std::function<std::unique_ptr<Transform>(PlanBuilder&, const TransformSpec&)>;

class TransformPlan final : public Plan {
public:
    TransformPlan(PlanBuilder& builder, const Problem& problem, const Make& make)
        : transform_(make(builder, spec_of(problem.parameters.as<FftParameters>(), input_of(problem)))),
          direction_(direction_of(problem.parameters.as<FftParameters>())) {}
    void enqueue(Execution& execution, const Bindings& arrays) override {
        transform_->enqueue(execution, arrays.input("array"), arrays.output("array"), direction_);
    }

private:
    std::unique_ptr<Transform> transform_;
    Direction direction_;
};

/// A row with what all variants on a device have in common. `library`: the value of the parameter `fft` that admits it, beside
/// auto.
Variant transform_variant(Variant row, Library library, WhyNot why, Make make) {
    row.supports = [library, why = std::move(why)](const Problem& problem, host::Context& context) {
        const auto& p = problem.parameters.as<FftParameters>();
        if (p.fft != Library::automatic && p.fft != library) return Support::no("the parameter fft asks for another library");
        return Support{why(spec_of(p, input_of(problem)), context)};
    };
    return make_variant<TransformPlan>(std::move(row), std::move(make));
}

Variant library_variant(Variant row, Library library) {
    return transform_variant(
        std::move(row), library,
        [library](const TransformSpec& spec, host::Context& context) { return why_not(library, spec, context); },
        [library](PlanBuilder& builder, const TransformSpec& spec) { return make_transform(builder, spec, library); });
}

}  // namespace

Algorithm make_fft() {
    Algorithm a;
    a.name = "fft";
    a.summary = "Fourier and cosine transforms of arrays of any size, along x or along y and x";
    a.parameters = fft_table();
    a.inputs = {{"array", "c64 (..., y, x) for c2c; f32 for r2c and dct; c64 (..., y, w/2 + 1) for c2r", true, PortKind::array}};
    a.outputs = {{"array",
                  "c64 of the same shape; (..., y, w/2 + 1) for r2c; f32 (..., y, w) for c2r; f32 of the same shape for dct",
                  true, PortKind::array}};
    a.infer = infer;
    a.warnings = unit_warnings;
    a.chunking = [](const Problem& problem) {
        const auto& p = problem.parameters.as<FftParameters>();
        Division lines = along_stack(input_of(problem), static_cast<std::size_t>(p.dimensions));
        if (lines.ways.empty())
            lines.why_not = "every element of a transform depends on all others; only a stack can be taken apart";
        else if (p.kind == Kind::dct)
            keep_pairs(lines, input_of(problem), static_cast<std::size_t>(p.dimensions));
        return lines;
    };
    a.carry = [](const Parameters&, const ArrayDesc&, Metadata metadata) { return without_affine(std::move(metadata)); };
    a.variants = {
        transform_variant(
            {.name = "simd", .formerly = {"lanes"}, .summary = "CPUs: a line a SIMD lane, 16 at once", .role = Role::best},
            Library::automatic, simd_why_not, make_simd),
        library_variant({.name = "radix",
                         .summary = "Stockham, radices to 31, a line in registers; Rader or Bluestein for larger primes",
                         .role = Role::best},
                        Library::radix),
        library_variant({.name = "vkfft", .summary = "VkFFT"}, Library::vkfft),
        library_variant({.name = "clfft", .summary = "clFFT"}, Library::clfft),
        library_variant({.name = "cufft",
                         .summary = "NVIDIA's cuFFT, for comparison; runs where it is asked for",
                         .role = Role::peer,
                         .backends = {host::Backend::cuda}},
                        Library::cufft),
        transform_variant({.name = "radix2",
                           .formerly = {"radix2_seed"},
                           .summary = "the source paper's radix-2 butterflies, a launch a stage (Luo et al. 2021)",
                           .role = Role::baseline},
                          Library::radix, radix2_why_not, make_radix2),
        threaded_variant(),
        fft::reference_variant(),
    };
    return a;
}

}  // namespace parallax::engine
