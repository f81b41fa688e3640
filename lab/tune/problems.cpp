#include "tune/problems.hpp"

#include "selftest/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace parallax::engine::tune {
namespace {

using Shape = std::vector<std::int64_t>;

/// A shape of a class to be searched with, and one to be checked with.
struct Shapes {
    const char* size;
    Shape wide;          ///< of elements of one byte, and of two where these are large enough
    Shape wide_check;
    Shape deep;          ///< of other elements
    Shape deep_check;
};

/// Less than 1 MiB, less than 64 MiB, more: a frame of a camera, a mosaic, and away from the edges of each class.
const std::array<Shapes, 3> frames{{
    {"small", {800, 1000}, {300, 401}, {400, 500}, {150, 203}},
    {"medium", {2304, 3072}, {1300, 1101}, {2048, 2048}, {700, 901}},
    {"large", {8192, 8192}, {9000, 10001}, {4096, 4096}, {5000, 6001}},
}};
/// Widths that every transform takes.
const std::array<Shapes, 3> holograms{{
    {"small", {480, 640}, {300, 416}, {400, 512}, {150, 256}},
    {"medium", {2304, 3072}, {1300, 1120}, {2048, 2048}, {700, 896}},
    {"large", {8192, 8192}, {9000, 9600}, {4096, 4096}, {5000, 6000}},
}};
const std::array<Shapes, 3> volumes{{
    {"small", {40, 140, 140}, {20, 90, 101}, {20, 100, 100}, {10, 60, 71}},
    {"medium", {64, 512, 512}, {30, 250, 301}, {64, 256, 256}, {30, 120, 151}},
    {"large", {128, 768, 768}, {256, 600, 601}, {128, 384, 384}, {200, 300, 301}},
}};
const std::array<Shapes, 3> lists{{
    {"small", {800000}, {150001}, {100000}, {40001}},
    {"medium", {12000000}, {1500001}, {4000000}, {400003}},
    {"large", {80000000}, {70000001}, {20000000}, {17000003}},
}};

std::string named(const std::string& algorithm, const Shape& shape) {
    if (shape.size() == 1) return fmt::format("{} {}", shape.front(), algorithm == "box_count" ? "a side" : "elements");
    return fmt::format("{}", fmt::join(shape, " x "));
}

Json made(const char* kind, const std::string& type, const Shape& shape, const Json& range = {}) {
    const char* const axes[] = {"n", "yx", "zyx"};
    Json rule{{"make", kind}, {"type", type}, {"axes", axes[shape.size() - 1]}, {"shape", shape}};
    if (!range.is_null()) rule["range"] = range;
    return rule;
}

/// What makes an input of a type and shape.
using Maker = Json (*)(const std::string& type, const Shape&);

Json random(const std::string& type, const Shape& shape) { return made("random", type, shape, type == "f32" ? Json{-2, 2} : Json()); }
Json smooth(const std::string& type, const Shape& shape) { return made("smooth", type, shape, type == "f32" ? Json{0, 255} : Json()); }
Json edges(const std::string& type, const Shape& shape) { return made("blocks", type, shape, Json{0, 255}); }
Json selection(const std::string&, const Shape& shape) { return made("random", "u8", shape, Json{0, 1}); }
/// Cells of a cube, whose side `shape` holds.
Json cells(const std::string&, const Shape& shape) { return {{"run", "phantom"}, {"kind", "random"}, {"density", 0.3}, {"size", shape.front()}}; }

struct InputRow {
    const char* port;
    Maker make;
};

/// An algorithm in a type and every size: one problem, its parameters, and those of the checks.
struct Row {
    const char* algorithm;
    std::vector<const char*> types;
    const std::array<Shapes, 3>& shapes;
    std::vector<InputRow> inputs;
    Json parameters = Json::object();
    std::vector<Json> checks = {Json::object()};            ///< parameters instead; the last with the other shape too
    std::vector<std::string> outputs = {};
    std::vector<std::string> variants = {};
    std::vector<std::string> sizes = {"small", "medium", "large"};
    double levels = 0;
};

TuningProblem problem_of(const Row& row, const std::string& type, const Shape& shape, const Json& parameters) {
    TuningProblem problem{named(row.algorithm, shape), Json::object(), parameters, row.outputs};
    for (const auto& [name, value] : parameters.items()) problem.name += fmt::format(", {} {}", name, value.is_string() ? value.get<std::string>() : value.dump());
    for (const InputRow& input : row.inputs) problem.inputs[input.port] = input.make(type, shape);
    return problem;
}

void add(const Row& row, std::vector<ProblemSet>& sets) {
    for (const char* const type : row.types) {
        for (const Shapes& shapes : row.shapes) {
            if (std::find(row.sizes.begin(), row.sizes.end(), shapes.size) == row.sizes.end()) continue;
            const bool wide = std::string(type) == "u8" || (std::string(type) == "u16" && std::string(shapes.size) != "small");
            const Shape& shape = wide ? shapes.wide : shapes.deep;
            const Shape& other = wide ? shapes.wide_check : shapes.deep_check;
            ProblemSet set{row.algorithm, {type, shapes.size}, problem_of(row, type, shape, row.parameters), {}, row.variants, row.levels};
            for (std::size_t i = 0; i < row.checks.size(); ++i) {
                const bool last = i + 1 == row.checks.size();
                const Json& parameters = row.checks[i].empty() ? row.parameters : row.checks[i];
                set.checks.push_back(problem_of(row, type, last ? other : shape, parameters));
            }
            sets.push_back(std::move(set));
        }
    }
}

/// An algorithm without an input: one class, "small".
ProblemSet without_input(const char* algorithm, Json parameters, Json check) {
    ProblemSet set{algorithm, {"", "small"}, {"", Json::object(), std::move(parameters), {}}, {{"", Json::object(), std::move(check), {}}}, {}, 0};
    const auto name = [](TuningProblem& p) {
        for (const auto& [key, value] : p.parameters.items()) p.name += fmt::format("{}{} {}", p.name.empty() ? "" : ", ", key, value.is_string() ? value.get<std::string>() : value.dump());
    };
    name(set.problem);
    name(set.checks.front());
    return set;
}

Json json(const char* text) { return Json::parse(text); }

std::vector<ProblemSet> make_sets() {
    static const std::array<Shapes, 3> cubes{{{"small", {96}, {61}, {}, {}}, {"medium", {256}, {150}, {}, {}}, {"large", {512}, {450}, {}, {}}}};
    std::vector<ProblemSet> sets;
    const auto row = [&sets](const Row& r) { add(r, sets); };
    row({"arithmetic", {"f32"}, frames, {{"image", random}}, json(R"({"op": "multiply", "value": 1.7})"), {json(R"({"op": "exp"})"), json(R"({"op": "add", "value": 0.5})")}});
    row({"arithmetic", {"u8"}, frames, {{"image", random}}, json(R"({"op": "multiply", "value": 2})"), {json(R"({"op": "log"})"), json(R"({"op": "add", "value": 3})")}});
    row({"box_count", {"u8"}, cubes, {{"volume", cells}}});
    row({"box_filter", {"f32", "u8"}, frames, {{"image", random}}, json(R"({"radius": 3})"), {json(R"({"radius": 15})"), json(R"({"radius": 1})")}});
    row({"convert", {"f32"}, frames, {{"image", random}}, json(R"({"type": "u8", "window": {"low": -1, "high": 1.5}})"),
         {json(R"({"type": "u8", "percentiles": {"low": 1, "high": 99}})"), json(R"({"type": "u16", "window": {"low": -1, "high": 1.5}})")}});
    row({"convert", {"u8"}, frames, {{"image", random}}, json(R"({"type": "f32"})"), {json(R"({"type": "u16"})"), json(R"({"type": "f32"})")}});
    row({"crop", {"f32", "u8"}, frames, {{"image", random}}, json(R"({"x": [5, 180], "y": [3, 140]})"), {json(R"({"x": [8, 160], "y": [0, 150]})")}, {}, {}, {"small"}});
    row({"crop", {"f32", "u8"}, frames, {{"image", random}}, json(R"({"x": [5, 1900], "y": [3, 1900]})"), {json(R"({"x": [8, 768], "y": [0, 650]})")}, {}, {}, {"medium"}});
    row({"crop", {"f32", "u8"}, frames, {{"image", random}}, json(R"({"x": [5, 4000], "y": [3, 4000]})"), {json(R"({"x": [8, 3200], "y": [0, 4090]})")}, {}, {}, {"large"}});
    const std::vector<std::string> all{"small", "medium", "large"}, no_large{"small", "medium"};   // large bytes take the reference too long
    const auto sizes_of = [&](const char* type) { return std::string(type) == "u8" ? no_large : all; };
    for (const char* const type : {"f32", "u8"}) {
        row({"diffusion_aos", {type}, frames, {{"image", edges}}, json(R"({"iterations": 2})"), {json(R"({"iterations": 2, "tau": 5})")}, {}, {}, sizes_of(type), 1});
        row({"diffusion_lb", {type}, frames, {{"image", edges}}, json(R"({"iterations": 8})"), {json(R"({"iterations": 8, "lattice": "D2Q5"})"), json(R"({"iterations": 8})")}, {}, {}, sizes_of(type), 1});
        row({"diffusion_lb", {type}, frames, {{"image", edges}}, json(R"({"iterations": 8, "update_edges_every": 4})"), {json(R"({"iterations": 8, "update_edges_every": 2})")}, {}, {"in_place"}, sizes_of(type), 1});
    }
    row({"equalize", {"u8"}, frames, {{"image", smooth}}});
    row({"equalize", {"u16"}, frames, {{"image", smooth}}});
    row({"histogram", {"u8"}, frames, {{"image", random}}, Json::object(), {json(R"({"bins": 64})"), Json::object()}});
    row({"histogram", {"u16"}, frames, {{"image", random}}, Json::object(), {json(R"({"bins": 256})"), Json::object()}});
    row({"histogram", {"f32"}, frames, {{"image", random}}, json(R"({"bins": 256, "range": {"low": -2, "high": 2}})"), {json(R"({"bins": 64, "range": {"low": -1, "high": 1}})")}});
    row({"hologram", {"u8", "f32"}, holograms, {{"hologram", edges}}, json(R"({"method": "convolution", "padding": "none", "wavelength_nm": 532, "pixel_um": 3.45, "distance_mm": 50})"),
         {json(R"({"method": "angular_spectrum", "padding": "none", "wavelength_nm": 532, "pixel_um": 3.45, "distance_mm": 20})")}, {"amplitude"}, {}, {"small", "medium"}});
    sets.push_back(without_input("hologram_simulate", json(R"({"width": 1024, "height": 768, "count": 4})"), json(R"({"width": 300, "height": 200, "count": 2})")));
    row({"mask", {"f32", "u8"}, frames, {{"image", random}, {"mask", selection}}, json(R"({"value": 1})")});
    row({"metrics", {"u8", "f32"}, frames, {{"image", edges}, {"reference", smooth}}, json(R"({"range": 255})"), {Json::object()}, {}, {}, {"small", "medium"}});
    for (const char* const type : {"f32", "u8"})
        row({"noise", {type}, frames, {{"image", smooth}}, json(R"({"full_scale": 255})"), {json(R"({"kind": "salt_and_pepper"})"), Json::object()}, {}, {}, sizes_of(type)});
    sets.push_back(without_input("phantom", json(R"({"kind": "menger", "size": 243})"), json(R"({"kind": "random", "size": 128})")));
    row({"reduce", {"f32", "u8"}, lists, {{"array", random}}, json(R"({"op": "sum"})"), {json(R"({"op": "max"})"), json(R"({"op": "sum"})")}, {"value"}});
    for (ProblemSet& set : sets)
        if (set.algorithm == "reduce") set.checks.push_back({"statistics", set.problem.inputs, Json::object(), {"statistics"}});
    row({"scan", {"u32"}, lists, {{"array", random}}, Json::object(), {json(R"({"kind": "exclusive", "op": "max"})"), Json::object()}});
    row({"select", {"f32", "u8"}, volumes, {{"image", random}}, json(R"({"axis": "z", "index": 3})"), {json(R"({"axis": "y", "index": 7})"), json(R"({"axis": "z", "index": 1})")}});
    row({"sort", {"u32", "u64"}, lists, {{"keys", random}}, Json::object(), {json(R"({"order": "descending"})")}, {"keys"}});
    for (ProblemSet& set : sets) {
        if (set.algorithm != "sort") continue;
        TuningProblem pairs{"with values", set.problem.inputs, Json::object(), {"keys", "values"}};
        pairs.inputs["values"] = pairs.inputs["keys"];
        pairs.inputs["values"]["type"] = "u32";
        pairs.inputs["values"]["seed"] = 2;
        set.checks.push_back(std::move(pairs));
    }
    row({"threshold", {"u8", "f32"}, frames, {{"image", smooth}}, json(R"({"method": "otsu"})"), {json(R"({"method": "value", "value": 100})"), Json::object()}, {"mask"}});
    return sets;
}

}  // namespace

const std::vector<ProblemSet>& problem_sets() {
    static const std::vector<ProblemSet> all = make_sets();
    return all;
}

const std::vector<std::string>& size_classes() {
    static const std::vector<std::string> all{"small", "medium", "large"};
    return all;
}

compare::Tolerance tolerance_of(const ProblemSet& set, const std::string& variant) {
    compare::Tolerance tolerance = selftest::tolerance_of(set.algorithm, variant);
    tolerance.levels = set.levels;
    return tolerance;
}

}  // namespace parallax::engine::tune
