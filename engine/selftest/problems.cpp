#include "selftest/problems.hpp"

namespace parallax::engine::selftest {

namespace {

Json json(const char* text) { return Json::parse(text); }

/// Sizes are small, no multiples of work-groups, and large enough for more than one of them.
std::vector<SmallProblem> make_problems() {
    const Json speckled = json(R"({"make": "blocks", "type": "f32", "axes": "yx", "shape": [75, 92], "range": [0, 255]})");
    const Json bytes = json(R"({"make": "random", "type": "u8", "axes": "yx", "shape": [61, 83]})");
    const Json words = json(R"({"make": "random", "type": "u16", "axes": "zyx", "shape": [3, 21, 37]})");
    const Json reals = json(R"({"make": "random", "type": "f32", "axes": "yx", "shape": [61, 83], "range": [-2, 2]})");
    const Json selection = json(R"({"make": "random", "type": "u8", "axes": "yx", "shape": [61, 83], "range": [0, 1]})");
    const Json list = json(R"({"make": "random", "type": "u32", "axes": "n", "shape": [5003]})");
    const Json many = json(R"({"make": "random", "type": "f32", "axes": "n", "shape": [5003], "range": [-1, 3]})");
    const Json waves = json(R"({"make": "random", "type": "c64", "axes": "yx", "shape": [32, 64], "range": [-1, 1]})");
    const Json rows = json(R"({"make": "random", "type": "f32", "axes": "yx", "shape": [45, 60], "range": [-1, 1]})");
    const Json sensor = json(R"({"make": "random", "type": "u8", "axes": "yx", "shape": [32, 256]})");
    const Json cells = json(R"({"run": "phantom", "kind": "random", "size": 29, "density": 0.1})");
    return {
        {"arithmetic", "f32, multiply", {{"image", reals}}, json(R"({"op": "multiply", "value": 1.7})"), {"image"}},
        {"box_count", "u8, 29 a side", {{"volume", cells}}, json(R"({})"), {"counts"}},
        {"box_filter", "f32, radius 3", {{"image", speckled}}, json(R"({"radius": 3})"), {"image"}},
        {"box_filter", "f32, radius 3, edges repeated", {{"image", speckled}}, json(R"({"radius": 3, "border": "replicate"})"), {"image"}, {"npp"}},
        {"convert", "f32 to u8", {{"image", reals}}, json(R"({"type": "u8", "window": {"low": -1, "high": 1.5}})"), {"image"}},
        {"crop", "u16, a part of each axis", {{"image", words}}, json(R"({"x": [5, 20], "y": [2, 11], "z": [1, 2]})"), {"image"}},
        {"diffusion_aos", "f32, 2 steps", {{"image", speckled}}, json(R"({"iterations": 2})"), {"image"}},
        {"diffusion_lb", "f32, D2Q9, 4 steps", {{"image", speckled}}, json(R"({"iterations": 4})"), {"image"}},
        {"diffusion_lb", "f32, edges kept for 2 steps", {{"image", speckled}}, json(R"({"iterations": 4, "update_edges_every": 2})"), {"image"}, {"in_place"}},
        {"equalize", "u8", {{"image", bytes}}, json(R"({})"), {"image"}},
        {"fft", "c2c 32 x 64", {{"array", waves}}, json(R"({"kind": "c2c"})"), {"array"}},
        {"fft", "r2c 45 x 60", {{"array", rows}}, json(R"({"kind": "r2c"})"), {"array"}},
        {"histogram", "u8, 256 bins", {{"image", bytes}}, json(R"({})"), {"histogram"}},
        {"histogram", "u8, 64 bins", {{"image", bytes}}, json(R"({"bins": 64})"), {"histogram"}, {"byte_counters"}},
        {"hologram", "convolution", {{"hologram", sensor}}, json(R"({"method": "convolution", "padding": "none", "wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000})"), {"amplitude"}},
        {"hologram_simulate", "f32, 2 beads", Json::object(), json(R"({"width": 60, "height": 48, "count": 2})"), {"hologram"}},
        {"mask", "f32", {{"image", reals}, {"mask", selection}}, json(R"({"value": 0.5})"), {"image"}},
        {"metrics", "f32", {{"image", speckled}, {"reference", json(R"({"make": "smooth", "type": "f32", "axes": "yx", "shape": [75, 92], "range": [0, 255]})")}}, json(R"({"range": 255})"), {"metrics"}},
        {"noise", "u8, Gaussian", {{"image", bytes}}, json(R"({"variance": 0.01})"), {"image"}},
        {"phantom", "Menger sponge, 27 a side", Json::object(), json(R"({"kind": "menger", "size": 27})"), {"volume"}},
        {"reduce", "f32, sum", {{"array", many}}, json(R"({"op": "sum"})"), {"value"}},
        {"scan", "u32, inclusive sum", {{"array", list}}, json(R"({})"), {"array"}},
        {"select", "u16, a slice", {{"image", words}}, json(R"({"axis": "z", "index": 1})"), {"image"}},
        {"sort", "u32 with values", {{"keys", list}, {"values", json(R"({"make": "random", "type": "u32", "axes": "n", "shape": [5003], "seed": 2})")}}, json(R"({})"), {"keys", "values"}},
        {"sort", "u32", {{"keys", list}}, json(R"({})"), {"keys"}, {"tbb"}},
        {"threshold", "u8, Otsu", {{"image", bytes}}, json(R"({"method": "otsu"})"), {"mask", "threshold"}},
    };
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
    {"diffusion_aos", "", {1e-4, 0}},
    {"diffusion_lb", "half", {2e-3, 0}},      // keeps its populations in 16 bits
    {"diffusion_lb", "", {2e-4, 0}},
    {"fft", "", {5e-6, 0}},
    {"hologram", "", {1e-4, 0}},
    {"hologram_simulate", "", {1e-4, 0}},
    {"metrics", "", {1e-5, 0}},
    {"reduce", "", {1e-5, 0}},
};

}  // namespace

const std::vector<SmallProblem>& problems() {
    static const std::vector<SmallProblem> all = make_problems();
    return all;
}

compare::Tolerance tolerance_of(const std::string& algorithm, const std::string& variant) {
    for (const ToleranceRow& row : tolerances) {
        const std::string only = row.variant;
        if (algorithm == row.algorithm && (only.empty() || only == variant)) return row.tolerance;
    }
    return {0, 0};
}

}  // namespace parallax::engine::selftest
