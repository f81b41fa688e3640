// What the sweep over sizes calls right: what a problem magnifies is let pass, what is wrong is not. And that it draws problems
// which have an answer.
#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "sizes/draw.hpp"
#include "sizes/settle.hpp"

using namespace parallax;
using namespace parallax::tests::sizes;

namespace parallax::engine {
Algorithm make_hologram();
Algorithm make_diffusion_lb();
Algorithm make_diffusion_aos();
}  // namespace parallax::engine

namespace {

HostArray floats(const std::vector<float>& values) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'x', static_cast<std::int64_t>(values.size())}}));
    std::copy(values.begin(), values.end(), array.as<float>());
    return array;
}

Json focus(std::vector<double> values, int best, double distance) {
    return {{"value", values},
            {"distance_um", {100, 200, 300, 400}},
            {"best_index", best},
            {"plane_distance_um", 100 * (best + 1)},
            {"best_distance_um", distance},
            {"at_end", best == 3},
            {"flat", false}};
}

}  // namespace

TEST_CASE("sizes: a phase is judged by the light that has it") {
    struct Row {
        float amplitude, right, made;
        bool settled;
    };
    for (const Row& row :
         {Row{1, 1, 1.00005f, true}, Row{1, 1, 1.001f, false}, Row{.01f, 1, 1.009f, true}, Row{.01f, 1, 1.02f, false},
          Row{1, 3.14159f, -3.14159f, true}, Row{1, 3.14159f, -3.14f, false}, Row{0, 1, -2, true}}) {
        CAPTURE(row.amplitude);
        CAPTURE(row.made);
        HostArray made = floats({0, row.made});
        settle_phase(made, floats({0, row.right}), floats({1, row.amplitude}), 1e-4);
        CHECK((made.as<float>()[1] == row.right) == row.settled);
    }
}

TEST_CASE("sizes: of planes as good as each other either may be chosen, of others not") {
    struct Row {
        std::vector<double> values;
        int made;
        double distance;
        bool chose_another, settled;
    };
    const Row rows[] = {
        {{1, 5, 2, 5.0001}, 3, 400, true, true},  // a tie
        {{1, 5, 2, 4.9}, 3, 400, false, false},   // worse
        {{1, 5, 2, 1}, 2, 300, false, false},
        {{1, 5, 2, 1}, 1, 203.01, false, true},  // within what floats leave of the extremum
        {{1, 5, 2, 1}, 1, 204, false, false},
        {{4.9999, 5, 4.9999, 1}, 1, 260, false, true},  // nearly flat: anywhere between its neighbours
    };
    for (const Row& row : rows) {
        CAPTURE(row.made);
        CAPTURE(row.distance);
        const Json right = focus(row.values, 1, 203);
        Json made = focus(row.values, row.made, row.distance);
        CHECK(settle_focus(made, right, 1e-4) == row.chose_another);
        CHECK((made == right) == row.settled);
    }
}

TEST_CASE("sizes: a carrier is judged in pixels, SSIM and PSNR by floors") {
    struct Row {
        void (*settle)(Json&, const Json&);
        Json made, right;
        bool settled;
    };
    const Row rows[] = {
        {settle_carrier,
         {{"x", 12.3}, {"y", 1}, {"radius", 4}, {"confidence", 3}},
         {{"x", 12.3005}, {"y", 1}, {"radius", 4}, {"confidence", 3}},
         true},
        {settle_carrier,
         {{"x", 12.3}, {"y", 1}, {"radius", 4}, {"confidence", 3}},
         {{"x", 12.31}, {"y", 1}, {"radius", 4}, {"confidence", 3}},
         false},
        {settle_carrier,
         {{"x", -9}, {"y", 2}, {"radius", 4}, {"confidence", 1.001}},
         {{"x", 12}, {"y", 1}, {"radius", 4}, {"confidence", 1.002}},
         true},
        {settle_carrier,
         {{"x", -9}, {"y", 2}, {"radius", 4}, {"confidence", 1.1}},
         {{"x", 12}, {"y", 1}, {"radius", 4}, {"confidence", 1.1}},
         false},
        {settle_metrics, {{"ssim", .0013}, {"psnr_db", .1}}, {{"ssim", .00130003}, {"psnr_db", .10004}}, true},
        {settle_metrics, {{"ssim", .0013}, {"psnr_db", .1}}, {{"ssim", .001303}, {"psnr_db", .1}}, false},
        {settle_metrics, {{"ssim", .0013}, {"psnr_db", .1}}, {{"ssim", .0013}, {"psnr_db", .1001}}, false},
        {settle_metrics, {{"ssim", nullptr}, {"psnr_db", 3}}, {{"ssim", .5}, {"psnr_db", 3}}, false},
        {settle_metrics, {{"mse", 1.0}}, {{"mse", 1.0000001}}, false},
    };
    for (const Row& row : rows) {
        Json made = row.made;
        row.settle(made, row.right);
        CAPTURE(row.made.dump());
        CHECK((made == row.right) == row.settled);
    }
}

TEST_CASE("sizes: half spectra that are drawn belong to real numbers") {
    for (const auto& [axes, shape] : {std::pair<const char*, std::vector<int>>{"yx", {6, 5}},
                                      {"yx", {7, 4}},
                                      {"yx", {1, 9}},
                                      {"zyx", {3, 5, 1}},
                                      {"x", {8}}}) {
        CAPTURE(axes);
        const HostArray array =
            make_array({{"type", "c64"}, {"axes", axes}, {"shape", shape}, {"seed", 3}, {"half_spectrum", true}});
        const std::int64_t width = shape.back(), height = shape.size() > 1 ? shape[shape.size() - 2] : 1;
        const auto* v = array.as<std::complex<float>>();
        for (std::int64_t line = 0; line < array.desc.count() / width; ++line)
            for (const std::int64_t x : {std::int64_t{0}, width - 1}) {
                const std::int64_t mirror = line - line % height + (height - line % height) % height;
                CHECK(v[line * width + x].imag() == 0);
                CHECK(v[line * width + x] == v[mirror * width + x]);
            }
        if (width > 2) CHECK(v[1].imag() != 0);
    }
}

TEST_CASE("sizes: what has no default is drawn, so that holograms are") {
    for (std::uint64_t i = 0; i < 20; ++i) {
        Random random(2, i);
        CHECK(draw_problem(random, engine::make_hologram(), Bounds{}).has_value());
    }
}

TEST_CASE("sizes: thresholds of diffusion are drawn in proportion to the levels of an image") {
    int whole_range = 0;
    for (const engine::Algorithm& algorithm : {engine::make_diffusion_lb(), engine::make_diffusion_aos()})
        for (std::uint64_t i = 0; i < 300; ++i) {
            Random random(5, i);
            const auto draw = draw_problem(random, algorithm, Bounds{});
            REQUIRE(draw.has_value());
            const Json& image = draw->inputs.at("image");
            if (image["type"] != "u16" || image.contains("range")) continue;
            ++whole_range;
            CHECK(draw->parameters.at("threshold").get<double>() >= 65535.0 / 256);
        }
    CHECK(whole_range > 5);
}
