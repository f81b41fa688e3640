#include "selftest/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace parallax::engine::selftest {

namespace {

using Shape = std::vector<std::int64_t>;
using Types = std::vector<const char*>;

/// Problems of an algorithm that differ in type, size and operation. Sizes are small: one element, odd numbers, primes, more than a
/// work-group.
struct Family {
    const char* algorithm;
    Types types;
    std::vector<Shape> shapes;
    std::vector<Json> operations;                       ///< parameters
    Json (*inputs)(const std::string& type, const Shape&);
    std::vector<std::string> outputs;
    Json common = Json::object();                       ///< parameters of all of them
};

Json json(const char* text) { return Json::parse(text); }

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

SmallProblem problem_of(const Family& family, const std::string& type, const Shape& shape, const Json& operation) {
    SmallProblem problem{family.algorithm, type, family.inputs(type, shape), family.common, family.outputs};
    if (!shape.empty()) problem.name += fmt::format("{}{}", type.empty() ? "" : ", ", fmt::join(shape, " x "));
    for (auto input = problem.inputs.begin(); input != problem.inputs.end(); ++input)
        if (input != problem.inputs.begin() && input->contains("make")) problem.name += ", with " + input.key();
    for (const auto& [name, value] : operation.items()) {
        problem.name += fmt::format("{}{} {}", problem.name.empty() ? "" : ", ", name, text_of(value));
        problem.parameters[name] = value;
    }
    return problem;
}

void add(std::vector<SmallProblem>& all, const Family& f, Extent extent) {
    const std::size_t types = f.types.size(), shapes = f.shapes.size(), operations = f.operations.size();
    if (extent == Extent::cover) {
        for (std::size_t i = 0; i < std::max({types, shapes, operations}); ++i)
            all.push_back(problem_of(f, f.types[i % types], f.shapes[i % shapes], f.operations[i % operations]));
        return;
    }
    for (const char* const type : f.types)
        for (const Json& operation : f.operations)
            for (const Shape& shape : f.shapes) all.push_back(problem_of(f, type, shape, operation));
}

Json made(const char* kind, const std::string& type, const Shape& shape, const Json& range = {}, int seed = 1) {
    const char* const axes[] = {"n", "yx", "zyx"};
    Json rule{{"make", kind}, {"type", type}, {"axes", axes[shape.size() - 1]}, {"shape", shape}, {"seed", seed}};
    if (!range.is_null()) rule["range"] = range;
    return rule;
}

bool is_real(const std::string& type) { return type[0] == 'f' || type[0] == 'c'; }
Json random(const std::string& type, const Shape& shape, int seed = 1) { return made("random", type, shape, is_real(type) ? Json{-2, 2} : Json(), seed); }
/// Edges and speckle.
Json speckled(const std::string& type, const Shape& shape) { return made("blocks", type, shape, Json{0, 255}); }

Json image(const std::string& type, const Shape& shape) { return {{"image", random(type, shape)}}; }
Json speckled_image(const std::string& type, const Shape& shape) { return {{"image", speckled(type, shape)}}; }
Json array(const std::string& type, const Shape& shape) { return {{"array", random(type, shape)}}; }
Json keys(const std::string& type, const Shape& shape) { return {{"keys", random(type, shape)}}; }
Json pairs(const std::string& type, const Shape& shape) { return {{"keys", random(type, shape)}, {"values", random("u32", shape, 2)}}; }
Json two_images(const std::string& type, const Shape& shape) { return {{"image", random(type, shape)}, {"other", random(type, shape, 2)}}; }
Json masked(const std::string& type, const Shape& shape) { return {{"image", random(type, shape)}, {"mask", made("random", "u8", shape, Json{0, 1}, 2)}}; }
Json referenced(const std::string& type, const Shape& shape) { return {{"image", speckled(type, shape)}, {"reference", made("smooth", type, shape, Json{0, 255})}}; }
Json hologram(const std::string& type, const Shape& shape) { return {{"hologram", made("random", type, shape, is_real(type) ? Json{0, 2} : Json{0, 100})}}; }
/// Half of a spectrum that belongs to real numbers: what else is asked for has no one answer.
Json spectrum(const std::string&, const Shape& shape) {
    return {{"a signal", random("f32", shape)}, {"array", {{"run", "fft"}, {"kind", "r2c"}, {"in", {{"array", "a signal"}}}}}};
}
Json nothing(const std::string&, const Shape&) { return Json::object(); }
/// A tenth of the voxels or pixels.
Json cells(const std::string& type, const Shape& shape) { return {{"volume", made("random", type, shape, type == "i8" || type == "i16" || type == "i32" || type == "i64" ? Json{-9, 1} : Json{0, 1})}}; }

std::vector<Json> each(const char* name, std::initializer_list<const char*> values) {
    std::vector<Json> list;
    for (const char* const value : values) list.push_back({{name, value}});
    return list;
}

std::vector<SmallProblem> make_problems(Extent extent) {
    const std::vector<Json> plain{Json::object()};
    const Types pixels{"u8", "u16", "f32"}, elements{"u8", "u16", "i16", "u32", "i32", "f32"};
    const std::vector<Shape> images{{61, 83}, {1, 1}, {75, 92}, {1, 130}, {67, 1}}, large_images{{61, 83}, {16, 17}, {75, 92}};
    const std::vector<Shape> lists{{5003}, {1}, {257}, {70001}, {64}}, lists_or_none{{5003}, {1}, {257}, {70001}, {0}};
    std::vector<SmallProblem> all;
    const auto family = [&](const Family& f) { add(all, f, extent); };

    family({"arithmetic", elements, images, {json(R"({"op": "add", "value": 3})"), json(R"({"op": "subtract", "value": 5})"), json(R"({"op": "multiply", "value": 2})"),
            json(R"({"op": "divide", "value": 7})"), json(R"({"op": "log"})"), json(R"({"op": "exp"})"), json(R"({"op": "abs"})"), json(R"({"op": "sqrt"})"),
            json(R"({"op": "clamp", "range": {"low": 0, "high": 1}})")}, image, {"image"}});
    family({"arithmetic", {"f32"}, {{61, 83}}, {json(R"({"op": "multiply"})")}, two_images, {"image"}});
    family({"box_count", {"u8", "f32", "i32", "u16", "i8", "i64", "f64", "i16", "u32", "u64"}, {{29, 29, 29}, {1, 1, 1}, {20, 33, 67}, {61, 83}}, each("count", {"occupied"}), cells, {"counts"}});
    family({"box_filter", pixels, {{61, 83}, {75, 92}, {1, 130}, {67, 1}}, {json(R"({"radius": 3, "border": "reflect_101"})"), json(R"({"radius": 1, "border": "replicate"})"),
            json(R"({"radius": 9, "border": "constant"})"), json(R"({"radius": 2, "border": "reflect"})")}, image, {"image"}});
    family({"convert", {"f32", "u8", "u16", "i16", "u32", "i32", "f64"}, images, {json(R"({"type": "u8", "window": {"low": -1, "high": 1.5}})"), json(R"({"type": "f32"})"),
            json(R"({"type": "u16"})"), json(R"({"type": "i16"})"), json(R"({"type": "u32"})"), json(R"({"type": "i32"})"),
            json(R"({"type": "f32", "percentiles": {"low": 1, "high": 99}})")}, image, {"image"}});
    family({"crop", {"u8", "u16", "f32", "u64", "c64"}, {{3, 21, 37}, {4, 16, 32}}, {json(R"({"x": [5, 20], "y": [2, 11], "z": [1, 2]})"), json(R"({"x": [8, 16]})")}, image, {"image"}});
    family({"diffusion_aos", pixels, {{75, 92}, {61, 83}, {16, 17}}, each("edge_function", {"perona_malik_2", "perona_malik_1", "charbonnier", "weickert"}), speckled_image, {"image"},
            json(R"({"iterations": 2})")});
    family({"diffusion_lb", pixels, {{75, 92}, {61, 83}, {16, 17}}, {json(R"({"lattice": "D2Q9"})"), json(R"({"lattice": "D2Q5"})"), json(R"({"update_edges_every": 2})")}, speckled_image, {"image"},
            json(R"({"iterations": 4})")});
    family({"equalize", {"u8", "u16"}, large_images, each("formula", {"opencv", "classic", "skimage"}), image, {"image"}});
    family({"fft", {"c64"}, {{32, 64}, {31, 37}}, {json(R"({"kind": "c2c"})")}, array, {"array"}});
    family({"fft", {"f32"}, {{45, 60}}, {json(R"({"kind": "r2c"})")}, array, {"array"}});
    family({"fft", {"c64"}, {{20, 48}}, {json(R"({"kind": "c2r"})")}, spectrum, {"array"}});
    family({"histogram", {"u8"}, images, {Json::object(), json(R"({"bins": 64})")}, image, {"histogram"}});
    family({"histogram", {"u16"}, {{61, 83}, {1, 1}}, {json(R"({"bins": 256})"), Json::object()}, image, {"histogram"}});
    family({"histogram", {"f32"}, {{61, 83}}, {json(R"({"bins": 100, "range": {"low": -1, "high": 2}})")}, image, {"histogram"}});
    const Json optics = json(R"({"wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000})");
    family({"hologram", {"u8", "u16", "f32", "i8", "i16", "i32", "i64", "u32", "u64", "f64"}, {{32, 256}, {24, 64}}, {json(R"({"method": "convolution", "padding": "none"})"), json(R"({"method": "angular_spectrum", "padding": "zero"})"),
            json(R"({"method": "fresnel", "padding": "none"})")}, hologram, {"amplitude"}, optics});
    family({"hologram_simulate", {""}, {{}}, each("type", {"f32", "u8", "u16"}), nothing, {"hologram"},
            json(R"({"width": 60, "height": 48, "count": 2, "wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000})")});
    family({"mask", elements, images, {json(R"({"value": 1})")}, masked, {"image"}});
    family({"metrics", pixels, {{75, 92}, {61, 83}, {5, 7}}, {json(R"({"range": 255})"), Json::object()}, referenced, {"metrics"}});
    family({"noise", pixels, images, each("kind", {"gaussian", "speckle", "salt_and_pepper"}), image, {"image"}});
    std::vector<Json> phantoms = each("kind", {"menger", "cube", "carpet", "triangle", "tetrahedron", "cantor", "random", "vessel_tree"});
    for (std::size_t i = 0; i < phantoms.size(); ++i) phantoms[i]["size"] = std::array{27, 32, 1}[i % 3];
    family({"phantom", {""}, {{}}, phantoms, nothing, {"volume"}});
    const Types reduced{"f32", "u8", "i8", "u16", "i16", "u32", "i32", "f64"};
    family({"reduce", reduced, lists, each("op", {"sum", "min", "max"}), array, {"value"}});
    family({"reduce", reduced, lists, plain, array, {"statistics"}});
    family({"reduce", {"u16", "f32"}, {{0}}, plain, array, {"value"}});
    family({"scan", {"u32", "i32", "u64", "f32"}, lists_or_none, {json(R"({"op": "sum"})"), json(R"({"op": "max", "kind": "exclusive"})"), json(R"({"op": "min"})"),
            json(R"({"op": "sum", "kind": "exclusive"})")}, array, {"array"}});
    family({"select", {"u16", "u8", "f32", "u64", "c64"}, {{3, 21, 37}}, {json(R"({"axis": "z", "index": 1})"), json(R"({"axis": "y", "index": -1})"), json(R"({"axis": "x", "index": 5})")}, image, {"image"}});
    family({"sort", {"u32", "u64"}, lists_or_none, each("order", {"ascending", "descending"}), pairs, {"keys", "values"}});
    family({"sort", {"u32", "u64"}, lists, each("order", {"ascending", "descending"}), keys, {"keys"}});
    family({"threshold", pixels, large_images, each("method", {"otsu"}), image, {"mask", "threshold"}});
    family({"threshold", elements, images, {json(R"({"method": "value", "value": 1})")}, image, {"mask"}});
    return all;
}

struct ToleranceRow {
    const char* algorithm;
    const char* variant;                   ///< empty: every variant without a row of its own
    compare::Tolerance tolerance;
};

/// The first row that fits counts. What is not here must be exact.
const ToleranceRow tolerances[] = {
    {"arithmetic", "", {1e-6, 0}},
    {"box_count", "", {1e-9, 0}},             // counts are integers; the fit is made of them by the host
    {"box_filter", "", {1e-5, 0}},
    {"diffusion_aos", "", {1e-4, 1}},         // integers are rounded, and halves fall to either side
    {"diffusion_lb", "half", {2e-3, 1}},      // keeps its populations in 16 bits
    {"diffusion_lb", "", {2e-4, 1}},
    {"fft", "", {5e-6, 0}},
    {"hologram", "", {1e-4, 0}},
    {"hologram_simulate", "", {1e-4, 1}},
    {"metrics", "", {1e-5, 0}},
    {"reduce", "", {1e-5, 0}},
    {"scan", "", {1e-5, 0}},
};

}  // namespace

const std::vector<SmallProblem>& problems(Extent extent) {
    static const std::vector<SmallProblem> cover = make_problems(Extent::cover), product = make_problems(Extent::product);
    return extent == Extent::cover ? cover : product;
}

compare::Tolerance tolerance_of(const std::string& algorithm, const std::string& variant) {
    for (const ToleranceRow& row : tolerances) {
        const std::string only = row.variant;
        if (algorithm == row.algorithm && (only.empty() || only == variant)) return row.tolerance;
    }
    return {0, 0};
}

}  // namespace parallax::engine::selftest
