#include "draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include "problems/problems.hpp"
#include "shapes.hpp"

namespace parallax::tests::sizes {

namespace {

using namespace engine;

constexpr int most_tries = 400;
constexpr std::array types{ElementType::boolean, ElementType::u8,  ElementType::i8,  ElementType::u16,
                           ElementType::i16,     ElementType::u32, ElementType::i32, ElementType::u64,
                           ElementType::i64,     ElementType::f32, ElementType::f64, ElementType::c64};
const std::vector<std::string> layouts{"yx", "n", "zyx", "yxc", "tyx", "zyxc", "x"};

/// What a table admits and a test of sizes has no time for: the largest number that is drawn. An algorithm's own are in its
/// problems.json: under "most", and under "range" what people measure, beyond which no two ways of computing agree.
std::int64_t most_of(const Json& sizes, const std::string& key, std::int64_t elements) {
    if (sizes.contains("most") && sizes["most"].contains(key)) return sizes["most"][key].get<std::int64_t>();
    if (key == "size") return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::cbrt(static_cast<double>(elements))));
    if (key == "width" || key == "height")
        return std::max<std::int64_t>(
            1, std::min(longest_side, static_cast<std::int64_t>(std::sqrt(static_cast<double>(elements)))));
    return 4096;
}

class Values {
public:
    Values(Random& random, const Json& sizes, std::int64_t elements) : random_(random), sizes_(sizes), elements_(elements) {}

    /// Null: the default.
    Json of(const Json& schema, const std::string& key) {
        if (schema.contains("enum")) return random_.one_of(schema["enum"]);
        if (schema.contains("anyOf")) return of(random_.one_of(schema["anyOf"]), key);
        if (!schema.contains("type") || !schema["type"].is_string()) return nullptr;
        const std::string type = schema["type"].get<std::string>();
        if (type == "boolean") return random_.chance(0.5);
        if (type == "integer") return integer(schema, key);
        if (type == "number") return number(schema, key);
        if (type == "array") return list(schema, key);
        if (type == "object") return object(schema);
        return nullptr;
    }

private:
    Json integer(const Json& schema, const std::string& key) {
        const auto low = schema.value("minimum", std::int64_t{-8});
        const auto high = std::min(schema.value("maximum", std::numeric_limits<std::int64_t>::max() / 2),
                                   low + most_of(sizes_, key, elements_));
        return random_.log_between(low, std::max(low, high));
    }
    Json number(const Json& schema, const std::string& key) {
        if (const Json ranges = sizes_.value("range", Json::object()); ranges.contains(key))
            return std::round(random_.real(ranges[key][0].get<double>(), ranges[key][1].get<double>()) * 1000) / 1000;
        const double low = schema.value("minimum", schema.value("exclusiveMinimum", -std::numeric_limits<double>::infinity()));
        const double high = schema.value("maximum", schema.value("exclusiveMaximum", std::numeric_limits<double>::infinity()));
        const double usual = schema.contains("default") && schema["default"].is_number() ? schema["default"].get<double>() : 0;
        double value = usual != 0            ? usual * std::exp2(random_.real(-2, 2))
                       : random_.chance(0.5) ? random_.real(0, 1)
                                             : random_.real(-2, 260);
        value = std::clamp(value, low, high);
        if (value == low && schema.contains("exclusiveMinimum")) value = low + 0.5;
        return std::round(value * 1000) / 1000;
    }
    Json list(const Json& schema, const std::string& key) {
        const std::int64_t least = schema.value("minItems", 1), most = schema.value("maxItems", 3);
        Json values = Json::array();
        for (std::int64_t i = random_.between(least, std::max(least, std::min<std::int64_t>(most, 3))); i > 0; --i)
            values.push_back(of(schema.at("items"), key));
        return values;
    }
    /// What its keys are the schema says by name; else they are integers with a name each, as of labels.
    Json object(const Json& schema) {
        if (!schema.contains("properties")) return named_numbers();
        Json made = Json::object();
        const Json required = schema.value("required", Json::array());
        for (const auto& [key, value] : schema.at("properties").items()) {
            const bool must = std::find(required.begin(), required.end(), Json(key)) != required.end();
            if (!must && random_.chance(0.3)) continue;
            if (const Json drawn = of(value, key); !drawn.is_null()) made[key] = drawn;
        }
        return made;
    }
    Json named_numbers() {
        Json made = Json::object();
        for (std::int64_t i = random_.between(1, 4); i > 0; --i)
            made[std::to_string(random_.log_between(0, 1000))] = fmt::format("part {}", i);
        return made;
    }

    Random& random_;
    const Json& sizes_;
    std::int64_t elements_;
};

/// What has no default; nor has a pixel, of arrays that come from no file.
bool must_have(const Json& schema, const ParameterField& field) {
    if (field.name == "pixel") return true;
    for (const Json& one : schema.value("allOf", Json::array()))
        for (const Json& key : one.value("anyOf", Json::array()))
            if (key.value("required", Json::array()) == Json::array({field.canonical_key})) return true;
    return false;
}

Json draw_parameters_by(Random& random, const Algorithm& algorithm, const Json& schema, const Bounds& bounds, double share) {
    Json parameters = Json::object();
    Values values(random, problems::sizes(algorithm.name), bounds.elements);
    for (const ParameterField& field : algorithm.parameters.fields()) {
        if (!must_have(schema, field) && !random.chance(share)) continue;
        if (const Json drawn = values.of(schema["properties"][field.canonical_key], field.name); !drawn.is_null())
            parameters[field.canonical_key] = drawn;
    }
    // Its exponent is a power of 8, which makes up to seven levels of what floats round in noise (docs/testing.md).
    if (parameters.value("edge_function", "") == "weickert") parameters.erase("edge_function");
    return parameters;
}

Json draw_range(Random& random, ElementType type) {
    switch (random.below(4)) {
        case 0:
            return Json::array({0, 1});
        case 1:
            return type == ElementType::u8 || !is_floating(type) ? Json::array({0, 120}) : Json::array({-2, 2});
        case 2:
            return Json::array({0, 255});
        default:
            return nullptr;  // all that the type holds, 0 to 1 for reals
    }
}

Json draw_input(Random& random, ElementType type, const std::string& axes, const std::vector<std::int64_t>& shape) {
    Json input{{"type", to_string(type)}, {"axes", axes}, {"shape", shape}, {"seed", random.below(1000)}};
    if (Json range = draw_range(random, type); !range.is_null() && type != ElementType::boolean)
        input["range"] = std::move(range);
    return input;
}

/// Of the array that a transform makes real: numbers that are their own conjugates, and those along y and z that are another's.
bool is_half_spectrum(const Algorithm& algorithm, const Json& parameters) {
    return algorithm.name == "fft" && parameters.value("kind", "") == "c2r";
}

/// Floats keep 2^-24 of a level, and a threshold divides it: below a 256th of the range no two ways of rounding agree
/// (docs/diffusion_lb.md).
void scale_threshold(const Algorithm& algorithm, const Json& inputs, Json& parameters) {
    if ((algorithm.name != "diffusion_lb" && algorithm.name != "diffusion_aos") || !inputs.contains("image")) return;
    const Json& image = inputs["image"];
    if (image["type"] != "u16" || image.contains("range")) return;
    parameters["threshold"] = 257 * parameters.value("threshold", 4.0);
}

/// One array, and others that are like it in most of what they share with it.
Json draw_inputs(Random& random, const Algorithm& algorithm, const Bounds& bounds) {
    Json inputs = Json::object();
    const std::string axes = random.chance(0.4) ? layouts.front() : random.one_of(layouts);
    const ElementType type = random.one_of(types);
    const auto shape = draw_shape(random, axes, bounds.elements);
    for (const Port& port : algorithm.inputs) {
        if (!port.required && random.chance(0.5)) continue;
        const bool as_first = inputs.empty() || random.chance(0.6);
        inputs[port.name] = draw_input(random, as_first ? type : random.one_of(types), axes, shape);
        const Json ranges = problems::sizes(algorithm.name).value("inputs", Json::object());
        if (ranges.contains(port.name)) inputs[port.name]["range"] = ranges[port.name];
    }
    return inputs;
}

std::vector<std::string> draw_outputs(Random& random, const Algorithm& algorithm) {
    std::vector<std::string> outputs;
    for (const Port& port : algorithm.outputs)
        if (port.kind != PortKind::drawing && random.chance(port.required ? 0.9 : 0.3)) outputs.push_back(port.name);
    return outputs;
}

void draw_variant(Random& random, const Algorithm& algorithm, const Bounds& bounds, Draw& draw) {
    draw.variant.clear();
    draw.policy = Json::object();
    draw.replayed = random.chance(0.25);
    if (random.chance(0.5)) return;
    std::vector<const Variant*> there;
    for (const Variant& variant : algorithm.variants)
        if (std::find(variant.backends.begin(), variant.backends.end(), bounds.backend) != variant.backends.end() &&
            (bounds.peers || variant.role != Role::peer))
            there.push_back(&variant);
    if (there.empty()) return;
    const Variant& variant = *random.one_of(there);
    draw.variant = variant.name;
    if (!random.chance(0.4)) return;
    for (const PolicyField& field : variant.policy)
        if (!field.choices.empty() && random.chance(0.5)) draw.policy[field.name] = random.one_of(field.choices);
}

/// One spacing for all, as of files of one microscope: then a hologram need not be told its pixel.
void draw_spacing(Random& random, Draw& draw) {
    if (!random.chance(0.4)) return;
    const std::vector<double> sides{random.one_of(std::vector{0.5, 1.0, 1.4, 2.2}), random.real(0.3, 3)};
    const bool is_square = random.chance(0.6);
    for (auto& [port, input] : draw.inputs.items()) {
        Json spacing = Json::array();
        for (const char axis : input["axes"].get<std::string>())
            spacing.push_back(axis == 'c' ? 1.0 : sides[!is_square && axis != 'x']);
        input["spacing"] = spacing;
        input["unit"] = "um";
    }
    if (random.chance(0.7)) draw.parameters.erase("pixel_um");
}

bool is_taken(const Algorithm& algorithm, const Draw& draw) {
    try {
        const Problem problem{draw.shapes(), algorithm.parameters.parse(draw.parameters, ""), draw.outputs};
        for (const auto& [port, desc] : algorithm.infer(problem))
            if (desc.count() > (std::int64_t{1} << 28)) return false;  // results by the dozen of what is large already
        return true;
    } catch (const ConfigError&) {  // these do not belong together
        return false;
    }
}

/// SplitMix64 of an element's place.
std::uint64_t bits_at(std::uint64_t seed, std::int64_t i) { return Random(seed + 77, static_cast<std::uint64_t>(i)).next(); }

template <class T>
void fill(HostArray& array, const Json& input, std::int64_t parts) {
    const auto seed = input["seed"].get<std::uint64_t>();
    const std::int64_t count = array.desc.count() * parts;
    T* const values = array.as<T>();
    if (!input.contains("range")) {
        for (std::int64_t i = 0; i < count; ++i) {
            const std::uint64_t bits = bits_at(seed, i);
            values[i] =
                std::is_integral_v<T> ? static_cast<T>(bits >> 8) : static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53);
        }
        return;
    }
    const double low = input["range"][0].get<double>(), high = input["range"][1].get<double>();
    for (std::int64_t i = 0; i < count; ++i) {
        const double value = low + (high - low) * (static_cast<double>(bits_at(seed, i) >> 11) * 0x1p-53);
        values[i] = static_cast<T>(
            std::is_integral_v<T>
                ? std::floor(std::clamp<double>(value, 0, sizeof(T) > 1 || std::is_unsigned_v<T> ? 255 : 127) + 0.5)
                : value);
    }
}

/// Real numbers have no other spectra: the first and the last column are real and the same from both ends, which serves
/// transforms along x alone and along y, too.
void make_half_spectrum(HostArray& array) {
    const ArrayDesc& desc = array.desc;
    const std::int64_t width = desc.axes.back().size, height = desc.axes.size() > 1 ? desc.axes[desc.axes.size() - 2].size : 1;
    auto* const values = array.as<std::complex<float>>();
    for (std::int64_t line = 0; line < desc.count() / width; ++line)
        for (const std::int64_t x : {std::int64_t{0}, width - 1}) {
            const std::int64_t y = line % height, other = line - y + (height - y) % height;
            values[line * width + x] = values[std::min(line, other) * width + x].real();
        }
}

ArrayDesc desc_of(const Json& input) {
    std::vector<ArrayDesc::Extent> extents;
    const std::string axes = input["axes"].get<std::string>();
    for (std::size_t i = 0; i < axes.size(); ++i) extents.push_back({axes[i], input["shape"].at(i).get<std::int64_t>()});
    ArrayDesc desc = ArrayDesc::dense(element_type_from(input["type"].get<std::string>()).value(), extents);
    if (!input.contains("spacing")) return desc;
    for (std::size_t i = 0; i < axes.size(); ++i) desc.axes[i].spacing = input["spacing"].at(i).get<double>();
    return desc.with_unit(input["unit"].get<std::string>());
}

/// A problem of the same shape that differs in its spacing, or in a parameter: what a session keeps of it must not come back.
Json draw_before(Random& random, const Algorithm& algorithm, const Json& schema, const Bounds& bounds, const Draw& draw) {
    if (!random.chance(0.3)) return nullptr;
    Draw other = draw;
    const bool has_spacing = !draw.inputs.empty() && draw.inputs.begin()->contains("spacing");
    if (has_spacing && random.chance(0.7)) {
        const double factor = random.one_of(std::vector{0.5, 1.7, 2.0});
        for (auto& [port, input] : other.inputs.items())
            for (Json& side : input["spacing"]) side = side.get<double>() * factor;
    } else {
        const Json others = draw_parameters_by(random, algorithm, schema, bounds, 0.3);
        for (const auto& [key, value] : others.items()) other.parameters[key] = value;
    }
    return is_taken(algorithm, other) ? other.to_json() : Json();
}

}  // namespace

Json Draw::to_json() const {
    Json json{{"algorithm", algorithm}, {"inputs", inputs}, {"parameters", parameters}, {"outputs", outputs}};
    if (!variant.empty()) json["variant"] = variant;
    if (!policy.empty()) json["policy"] = policy;
    if (replayed) json["replayed"] = true;
    if (!before.is_null()) json["before"] = before;
    return json;
}

Draw Draw::parse(const Json& json) {
    return {json.at("algorithm").get<std::string>(),  json.value("inputs", Json::object()),
            json.value("parameters", Json::object()), json.value("outputs", std::vector<std::string>()),
            json.value("variant", std::string()),     json.value("policy", Json::object()),
            json.value("replayed", false),            json.value("before", Json())};
}

std::string Draw::describe() const {
    std::string text = algorithm;
    for (const auto& [port, desc] : shapes()) text += fmt::format(" {} {}", port, desc.describe());
    if (!parameters.empty()) text += " " + parameters.dump();
    text += ", " + (variant.empty() ? "the engine's choice" : variant);
    if (!policy.empty()) text += " " + policy.dump();
    return before.is_null() ? text : text + ", after " + before["inputs"].dump() + " " + before["parameters"].dump();
}

ArrayDescs Draw::shapes() const {
    ArrayDescs descs;
    for (const auto& [port, input] : inputs.items()) descs.emplace(port, desc_of(input));
    return descs;
}

std::int64_t Draw::elements() const {
    std::int64_t most = 1;
    for (const auto& [port, desc] : shapes()) most = std::max(most, desc.count());
    return most;
}

Json draw_parameters(Random& random, const Algorithm& algorithm, const Bounds& bounds, double changed) {
    return draw_parameters_by(random, algorithm, algorithm.parameters.schema(), bounds, changed);
}

std::optional<Draw> draw_problem(Random& random, const Algorithm& algorithm, const Bounds& bounds) {
    const Json schema = algorithm.parameters.schema();
    for (int i = 0; i < most_tries; ++i) {
        Draw draw;
        draw.algorithm = algorithm.name;
        draw.parameters = draw_parameters_by(random, algorithm, schema, bounds, 0.4 * (1 - static_cast<double>(i) / most_tries));
        draw.inputs = draw_inputs(random, algorithm, bounds);
        if (is_half_spectrum(algorithm, draw.parameters))
            for (auto& [port, input] : draw.inputs.items()) input["half_spectrum"] = true;
        scale_threshold(algorithm, draw.inputs, draw.parameters);
        draw_spacing(random, draw);
        draw.outputs = draw_outputs(random, algorithm);
        if (draw.outputs.empty() || !is_taken(algorithm, draw)) continue;
        draw_variant(random, algorithm, bounds, draw);
        draw.before = draw_before(random, algorithm, schema, bounds, draw);
        return draw;
    }
    return std::nullopt;
}

std::optional<Draw> draw_another_size(Random& random, const Algorithm& algorithm, const Draw& like, const Bounds& bounds) {
    Draw draw = like;
    std::vector<std::int64_t> shape;
    for (auto& [port, input] : draw.inputs.items()) {
        if (shape.empty()) shape = draw_shape(random, input["axes"].get<std::string>(), bounds.elements);
        input["shape"] = shape;
    }
    if (draw.inputs.empty() || !is_taken(algorithm, draw)) return std::nullopt;
    if (!draw.before.is_null())
        for (auto& [port, input] : draw.before["inputs"].items()) input["shape"] = shape;
    return draw;
}

HostArray make_array(const Json& input) {
    HostArray array = HostArray::make(desc_of(input));
    switch (array.desc.type) {
        case ElementType::boolean:
            for (std::int64_t i = 0; i < array.desc.count(); ++i)
                array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(bits_at(input["seed"].get<std::uint64_t>(), i) >> 63);
            break;
        case ElementType::u8:
            fill<std::uint8_t>(array, input, 1);
            break;
        case ElementType::i8:
            fill<std::int8_t>(array, input, 1);
            break;
        case ElementType::u16:
            fill<std::uint16_t>(array, input, 1);
            break;
        case ElementType::i16:
            fill<std::int16_t>(array, input, 1);
            break;
        case ElementType::u32:
            fill<std::uint32_t>(array, input, 1);
            break;
        case ElementType::i32:
            fill<std::int32_t>(array, input, 1);
            break;
        case ElementType::u64:
            fill<std::uint64_t>(array, input, 1);
            break;
        case ElementType::i64:
            fill<std::int64_t>(array, input, 1);
            break;
        case ElementType::f32:
            fill<float>(array, input, 1);
            break;
        case ElementType::f64:
            fill<double>(array, input, 1);
            break;
        case ElementType::c64:
            fill<float>(array, input, 2);
            if (input.contains("half_spectrum")) make_half_spectrum(array);
            break;
        case ElementType::c128:
            fill<double>(array, input, 2);
            break;
    }
    return array;
}

}  // namespace parallax::tests::sizes
