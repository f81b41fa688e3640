// Every library's Fourier transforms on every device against double precision, the properties that a transform has whatever
// computes it, and `fft` as an algorithm.
#include "fft_bench.hpp"

#include <limits>
#include <numbers>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::fft;
using namespace parallax::tests::transforms;

TEST_CASE("every implementation: a few small arrays") {   // fit for a simulator that checks every access
    each_device([](Bench& bench) {
        check_implementations(bench, {{1, 1, 1}, {1, 9, 2}, {16, 16, 1}, {15, 6, 3}, {34, 5, 1}, {37, 2, 2}});
    });
}

TEST_CASE("every implementation: planes of odd, even and prime sizes, batches, in place") {
    each_device([](Bench& bench) {
        check_implementations(
            bench, {{1, 1, 5}, {16, 15, 1}, {31, 17, 2}, {37, 41, 1}, {64, 128, 2}, {100, 60, 1}, {256, 64, 1}, {127, 255, 1}});
    });
}

TEST_CASE("a transform there and back gives the array again") {
    each_device([](Bench& bench) {
        for (const TransformSpec spec : {TransformSpec{96, 68, 2}, TransformSpec{53, 47, 1}, TransformSpec{16384, 1, 1}}) {
            CAPTURE(text(spec));
            PlanBuilder builder(bench.context(), *bench.queue());
            const auto transform = make_transform(builder, spec, Library::radix);
            const std::vector<float> in = noise(floats_in(spec));
            const std::vector<float> there = bench.run(builder, *transform, spec, Direction::forward, in);
            const std::vector<float> back = bench.run(builder, *transform, spec, Direction::inverse, there, true);
            CHECK(relative_error(back, {in.begin(), in.end()}) < 2 * tolerance);
        }
    });
}

TEST_CASE("the transform is linear and turns a shift into a phase") {
    each_device([](Bench& bench) {
        const TransformSpec spec{204, 1, 1};
        const std::vector<float> a = noise(floats_in(spec), 1), b = noise(floats_in(spec), 2);
        std::vector<float> sum(a.size()), shifted(a.size());
        const std::size_t n = 204, shift = 29;
        for (std::size_t i = 0; i < a.size(); ++i) sum[i] = 2 * a[i] - 3 * b[i];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t part = 0; part < 2; ++part) shifted[2 * ((i + shift) % n) + part] = a[2 * i + part];
        const auto forward = [&](const std::vector<float>& in) { return bench.run(radix(), spec, Direction::forward, in); };
        const std::vector<float> fa = forward(a), fb = forward(b);
        std::vector<double> combined(a.size()), turned(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) combined[i] = 2.0 * fa[i] - 3.0 * fb[i];
        for (std::size_t k = 0; k < n; ++k) {
            const Complex z =
                Complex(fa[2 * k], fa[2 * k + 1]) *
                std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * shift % n) / static_cast<double>(n));
            turned[2 * k] = z.real();
            turned[2 * k + 1] = z.imag();
        }
        CHECK(relative_error(forward(sum), combined) < tolerance);
        CHECK(relative_error(forward(shifted), turned) < tolerance);
    });
}

TEST_CASE("c2r does not look at imaginary parts that a real array cannot have") {
    each_device([](Bench& bench) {
        for (const std::int64_t n : {16, 15, 10007}) {
            const TransformSpec spec{n, 1, 2, Kind::c2r};
            std::vector<float> in = input_for(spec);
            const std::vector<float> clean = bench.run(radix(), spec, Direction::inverse, in);
            const auto half = static_cast<std::size_t>(n / 2 + 1);
            for (std::size_t row = 0; row < 2; ++row) {
                in[2 * row * half + 1] = std::numeric_limits<float>::quiet_NaN();
                if (n % 2 == 0) in[2 * (row * half + half - 1) + 1] = 1e9f;
            }
            // The guard test compares inputs, and NaN is not equal to itself: run without it.
            PlanBuilder builder(bench.context(), *bench.queue());
            const auto transform = make_transform(builder, spec, Library::radix);
            std::vector<host::Buffer> workspace;
            for (const std::size_t bytes : builder.slots()) workspace.push_back(bench.context().allocate(bytes));
            const host::Buffer from = bench.context().allocate(in.size() * sizeof(float)),
                               to = bench.context().allocate(clean.size() * sizeof(float));
            bench.queue()->write(from, 0, in.data(), in.size() * sizeof(float)).wait();
            Profiler profiler;
            Execution execution(*bench.queue(), profiler, workspace);
            transform->enqueue(execution, from, to, Direction::inverse);
            std::vector<float> dirty(clean.size());
            bench.queue()->read(to, 0, dirty.data(), dirty.size() * sizeof(float)).wait();
            CHECK(dirty == clean);
        }
    });
}

TEST_CASE("what cannot be done is refused with a reason") {
    each_device([](Bench& bench) {
        CHECK(radix2_why_not({96, 64, 1}, bench.context()).find("powers of two") != std::string::npos);
        CHECK(radix2_why_not({64, 64, 1, Kind::r2c}, bench.context()).find("c2c") != std::string::npos);
        CHECK(why_not(Library::radix, {std::int64_t{1} << 27, 1, 1}, bench.context()).find("67108864") != std::string::npos);
        CHECK(why_not(Library::automatic, {0, 4, 1}, bench.context()).find("no elements") != std::string::npos);
        PlanBuilder builder(bench.context(), *bench.queue());
        CHECK_THROWS_AS(make_transform(builder, {0, 4, 1}, Library::radix), UnsupportedError);
    });
}

TEST_CASE("fft as an algorithm: shapes, spacings and wrong requests") {
    const Algorithm algorithm = make_fft();
    const auto infer = [&](const char* json, const ArrayDesc& input) {
        return algorithm.infer({{{"array", input}}, algorithm.parameters.parse(Json::parse(json), ""), {"array"}}).at("array");
    };
    const ArrayDesc image =
        ArrayDesc::dense(ElementType::c64, {{'z', 3}, {'y', 6}, {'x', 8}}).with_spacing('x', 0.5).with_unit("um");
    const ArrayDesc real = image.with_type(ElementType::f32);
    CHECK(infer("{}", image).size('x') == 8);
    CHECK(infer("{}", image).find('x')->spacing == doctest::Approx(1 / (8 * 0.5)));
    CHECK(infer("{}", image).find('z')->spacing == doctest::Approx(1.0));
    CHECK(infer("{}", image).unit == "1/um");
    CHECK(infer(R"({"kind": "r2c"})", real).size('x') == 5);
    CHECK(infer(R"({"kind": "r2c"})", real).type == ElementType::c64);
    CHECK(infer(R"({"kind": "c2r"})", image).size('x') == 14);
    CHECK(infer(R"({"kind": "c2r", "width": "odd"})", image).size('x') == 15);
    CHECK_THROWS_AS(infer(R"({"kind": "r2c"})", image), ConfigError);
    CHECK_THROWS_AS(infer("{}", real), ConfigError);
    CHECK_THROWS_AS(infer(R"({"kind": "r2c", "direction": "inverse"})", real), ConfigError);
    CHECK_THROWS_AS(infer(R"({"kind": "c2r", "direction": "forward"})", image), ConfigError);
    CHECK_THROWS_AS(infer("{}", ArrayDesc::dense(ElementType::c64, {{'x', 8}})), ConfigError);
    CHECK_THROWS_AS(infer("{}", ArrayDesc::dense(ElementType::c64, {{'y', 8}, {'x', 0}})), ConfigError);
}

TEST_CASE("fft as an algorithm: every variant that supports a problem gives the same answer") {
    const Algorithm algorithm = make_fft();
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        const std::shared_ptr<host::Context> context = tests::open_for_test(device);
        const auto queue = context->create_queue();
        struct Case { const char* json; TransformSpec spec; Direction direction; std::vector<ArrayDesc::Extent> shape; };
        const Case cases[] = {
            {"{}", {16, 8, 3}, Direction::forward, {{'z', 3}, {'y', 8}, {'x', 16}}},
            {R"({"direction": "inverse", "dimensions": 1})", {16, 1, 24}, Direction::inverse, {{'z', 3}, {'y', 8}, {'x', 16}}},
            {R"({"kind": "r2c"})", {15, 6, 2, Kind::r2c}, Direction::forward, {{'z', 2}, {'y', 6}, {'x', 15}}},
            {R"({"kind": "c2r", "width": "odd"})", {15, 6, 2, Kind::c2r}, Direction::inverse, {{'z', 2}, {'y', 6}, {'x', 8}}},
            {R"({"kind": "c2r", "dimensions": 1})", {14, 1, 12, Kind::c2r}, Direction::inverse, {{'z', 2}, {'y', 6}, {'x', 8}}}};
        for (const Case& c : cases) {
            INFO(c.json);
            const ArrayDesc desc = ArrayDesc::dense(c.spec.kind == Kind::r2c ? ElementType::f32 : ElementType::c64, c.shape);
            const Problem problem{{{"array", desc}}, algorithm.parameters.parse(Json::parse(c.json), ""), {"array"}};
            const ArrayDesc result = algorithm.infer(problem).at("array");
            const std::vector<float> in = input_for(c.spec);
            const std::vector<double> want = expected(c.spec, c.direction, in);
            int ran = 0;
            for (const Variant& variant : algorithm.variants) {
                if (std::find(variant.backends.begin(), variant.backends.end(), context->info().backend) ==
                    variant.backends.end())
                    continue;
                if (!variant.supports(problem, *context)) continue;
                CAPTURE(variant.name);
                ++ran;
                PlanBuilder builder(*context, *queue);
                const auto plan = variant.plan(builder, problem, Policy::defaults(variant.policy));
                std::vector<host::Buffer> workspace;
                for (const std::size_t bytes : builder.slots()) workspace.push_back(context->allocate(bytes));
                Bindings bindings;
                bindings.inputs["array"].buffer = context->allocate(desc.dense_bytes());
                bindings.outputs["array"].buffer = context->allocate(result.dense_bytes());
                queue->write(bindings.input("array"), 0, in.data(), desc.dense_bytes()).wait();
                Profiler profiler;
                Execution execution(*queue, profiler, workspace);
                plan->enqueue(execution, bindings);
                std::vector<float> out(result.dense_bytes() / sizeof(float));
                queue->read(bindings.output("array"), 0, out.data(), result.dense_bytes()).wait();
                CHECK(relative_error(out, want) < tolerance);
            }
            CHECK(ran >= 1);
        }
    }
}
