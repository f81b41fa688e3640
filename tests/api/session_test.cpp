#include <atomic>
#include <cmath>
#include <future>

#include "api/support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

constexpr std::size_t width = 64, height = 48;
const std::initializer_list<ArrayDesc::Extent> extents{{'y', height}, {'x', width}};

}  // namespace

TEST_CASE("arrays come down as they went up, gaps and all") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Engine engine({.device = spec});
        Session session(engine);
        const auto image = ramp(width * height);
        CHECK(values<std::uint8_t>(session, session.upload(View(image, extents))) == image);

        // A window of the image: rows 2 and 3, columns 5 to 7, where they are.
        ArrayDesc window = ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 3}});
        window.axes[0].stride = width;
        window.offset = 2 * width + 5;
        std::vector<std::uint8_t> expected;
        for (std::size_t y = 2; y < 4; ++y)
            expected.insert(expected.end(), image.begin() + static_cast<std::ptrdiff_t>(y * width + 5),
                            image.begin() + static_cast<std::ptrdiff_t>(y * width + 8));
        CHECK(values<std::uint8_t>(session, session.upload(View(window, image.data()))) == expected);

        CHECK_THROWS_AS(View(image, {{'y', height}, {'x', width + 1}}), ConfigError);
        CHECK_THROWS_AS(session.upload(View(ArrayDesc::dense(ElementType::u8, extents), nullptr)), ConfigError);
        CHECK_THROWS_AS(session.download(Array()), ConfigError);
    }
}

TEST_CASE("plain calls on every device equal those on the native device") {
    const auto image = ramp(width * height);
    std::vector<std::uint8_t> expected;
    std::string sum;
    {
        Session native(Engine({.device = "native"}));
        expected = values<std::uint8_t>(native, native.box_filter({.radius = {3}}, View(image, extents)).array("image"));
        sum = native.reduce({}, View(image, extents)).record("value");
    }
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        Session session(Engine({.device = spec}));
        const Result blurred = session.box_filter({.radius = {3}}, View(image, extents));
        CHECK(values<std::uint8_t>(session, blurred.array("image")) == expected);
        CHECK(blurred.report.find("\"variant\"") != std::string::npos);
        CHECK(session.reduce({}, View(image, extents)).record("value") == sum);
        CHECK_THROWS_AS(blurred.array("imag"), ConfigError);
    }
}

TEST_CASE("an output lies apart from all inputs and outputs, or in the very place of an input where the algorithm can") {
    const auto image = ramp(width * height);
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Engine engine({.device = spec});
        Session session(engine);
        const Array array = session.upload(View(image, extents));
        const auto pointer_of = [&](const Call& call) {
            std::string run, submitted;
            try {
                session.run(call);
            } catch (const ConfigError& error) {
                run = error.pointer;
            }
            try {
                session.submit(call);
            } catch (const ConfigError& error) {
                submitted = error.pointer;
            }
            CHECK(run == submitted);
            return run;
        };
        CHECK(pointer_of(call(BoxFilterParameters{.radius = {3}}, {{"image", array}}, {.into = {{"image", array}}})) ==
              "/into/image");
        CHECK(values<std::uint8_t>(session, array) == image);   // untouched
        const std::vector<std::uint32_t> three{3, 1, 2};
        const Array keys = session.upload(View(three, {{'x', 3}})), both = session.allocate(keys.desc());
        CHECK(pointer_of(call(SortParameters{}, {{"keys", keys}, {"values", keys}},
                              {.outputs = {"keys", "values"}, .into = {{"keys", both}, {"values", both}}}))
                  .starts_with("/into/"));
        CHECK(pointer_of(call(ArithmeticParameters{.value = 1}, {{"image", array}}, {.into = {{"image", array}}})).empty());
        auto sum = image;   // run and submitted
        for (std::uint8_t& v : sum) v = static_cast<std::uint8_t>(std::min(v + 2, 255));
        CHECK(values<std::uint8_t>(session, array) == sum);
    }
}

TEST_CASE("memory of another shape is refused, although it has as many elements") {
    const auto image = ramp(width * height);
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        Session session(Engine({.device = spec}));
        const Array array = session.upload(View(image, extents));
        std::vector<std::uint8_t> back(width * height);
        const ArrayDesc turned = ArrayDesc::dense(ElementType::u8, {{'y', width}, {'x', height}});
        const ArrayDesc row = ArrayDesc::dense(ElementType::u8, {{'n', static_cast<std::int64_t>(width * height)}});
        CHECK_THROWS_AS(session.download(array, MutableView(turned, back.data())), ConfigError);
        CHECK_THROWS_AS(session.read(array, MutableView(turned, back.data())), ConfigError);
        CHECK_THROWS_AS(session.write(array, View(turned, image.data())), ConfigError);
        CHECK_THROWS_AS(session.run(call(BoxFilterParameters{.radius = {1}}, {{"image", array}},
                                         {.into = {{"image", session.allocate(turned)}}})),
                        ConfigError);
        session.download(array, MutableView(row, back.data()));   // a row of elements is no layout
        CHECK(back == image);
        // Of a square the names alone tell that it is turned; others' names tell nothing.
        const ArrayDesc square = ArrayDesc::dense(ElementType::u8, {{'y', 8}, {'x', 8}});
        const Array of_square = session.upload(View(square, image.data()));
        const ArrayDesc on_its_side = ArrayDesc::dense(ElementType::u8, {{'x', 8}, {'y', 8}});
        CHECK_THROWS_AS(session.download(of_square, MutableView(on_its_side, back.data())), ConfigError);
        CHECK_THROWS_AS(session.read(of_square, MutableView(on_its_side, back.data())), ConfigError);
        CHECK_THROWS_AS(session.write(of_square, View(on_its_side, image.data())), ConfigError);
        CHECK_NOTHROW(session.download(of_square, MutableView(ArrayDesc::dense(ElementType::u8, {{'a', 8}, {'b', 8}}), back.data())));
    }
}

TEST_CASE("memory with gaps is refused by its strides, which are what is wrong with it") {
    Session session(Engine({.device = "native"}));
    const std::vector<float> line(8);
    const ArrayDesc dense = ArrayDesc::dense(ElementType::f32, {{'x', 4}});
    const Array array = session.upload(View(dense, line.data()));
    ArrayDesc apart = dense, behind = dense;
    apart.axes[0].stride = 2;
    std::vector<float> memory(8);
    const MutableView strided(apart, memory.data());
    const char* const told = "f32 4 (x) with strides 2";
    CHECK_THROWS_WITH_AS(session.download(array, strided), doctest::Contains(told), ConfigError);
    CHECK_THROWS_WITH_AS(session.read(array, strided), doctest::Contains(told), ConfigError);
    CHECK_THROWS_WITH_AS(session.write(array, View(apart, line.data())), doctest::Contains(told), ConfigError);
    behind.offset = 3;
    const View moved(behind, line.data());
    CHECK_THROWS_WITH_AS(session.write(array, moved), doctest::Contains("strides 1 and offset 3"), ConfigError);
}

TEST_CASE("submitted calls follow each other by their events") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Engine engine({.device = spec});
        Session first(engine), second(engine);
        const std::vector<float> zeros(width * height, 0.0f);
        const Array image = first.upload(View(zeros, extents)), other = first.allocate(image.desc());
        Event last;
        for (int i = 0; i < 10; ++i) {   // 10 calls, by turns in two sessions
            CallOptions options{.into = {{"image", i % 2 ? image : other}}, .wait = {last}};
            last = (i % 2 ? second : first)
                       .submit(call(ArithmeticParameters{.value = 1}, {{"image", i % 2 ? other : image}}, std::move(options)))
                       .done();
        }
        HostArray result = first.pinned(image.desc());
        first.read(image, result, {{last}}).wait();
        CHECK(result.as<float>()[0] == 10);
        CHECK(result.as<float>()[width * height - 1] == 10);

        Pending pending = first.submit(call(ArithmeticParameters{.value = 1}, {{"image", image}}));
        CHECK(pending.arrays().count("image") == 1);
        pending.get();
        CHECK_THROWS_AS(pending.get(), ConfigError);
        CHECK(pending.done().complete());
        CHECK_THROWS_AS(Pending().get(), ConfigError);
    }
}

TEST_CASE("what is submitted may be forgotten at once") {
    const auto image = ramp(width * height);
    for (const std::string& spec : specs()) {
        Array result;
        {
            Session session(Engine({.device = spec}));
            // The record's memory, plan, session and engine all go before anybody has waited.
            session.submit(call(ReduceParameters{}, {{"array", session.upload(View(image, extents))}}));
            result = session.submit(call(BoxFilterParameters{.radius = {1}}, {{"image", session.upload(View(image, extents))}}))
                         .arrays()
                         .at("image");
        }
        CHECK(result.desc().count() == static_cast<std::int64_t>(width * height));
    }
}

TEST_CASE("errors say what is wrong, and leave the session as it was") {
    const auto image = ramp(width * height);
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        Session session(Engine({.device = spec}));
        const Array array = session.upload(View(image, extents));
        CHECK_THROWS_AS(session.run({"box_filtre", "{}", {{"image", array}}}), ConfigError);
        CHECK_THROWS_AS(session.run({"box_filter", "{\"radios\": 3}", {{"image", array}}}), ConfigError);
        CHECK_THROWS_AS(session.run({"box_filter", "{", {{"image", array}}}), ConfigError);
        CHECK_THROWS_AS(session.run({"box_filter", "{}", {}}), ConfigError);
        CHECK_THROWS_AS(session.run({"box_filter", "{}", {{"image", array}}, {.outputs = {"picture"}}}), ConfigError);
        CHECK_THROWS_AS(session.run({"box_filter", "{}", {{"image", array}}, {.variant = "no_such"}}), ConfigError);
        CHECK_THROWS_AS(session.run({"box_filter",
                                     "{}",
                                     {{"image", array}},
                                     {.into = {{"image", session.allocate(ArrayDesc::dense(ElementType::u8, {{'x', 5}}))}}}}),
                        ConfigError);
        for (const double spacing : {0.0, -1.4, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
            ArrayDesc desc = ArrayDesc::dense(ElementType::f32, extents);
            desc.axes[1].spacing = spacing;
            CHECK_THROWS_WITH_AS(session.upload(View(desc, image.data())), doctest::Contains("axis x with a spacing of"),
                                 ConfigError);
        }
        CHECK_THROWS_WITH_AS(session.allocate(ArrayDesc::dense(ElementType::u8, {{'x', 5}, {'x', 5}})),
                             doctest::Contains("the axis x twice"), ConfigError);
        CHECK_THROWS_WITH_AS(session.allocate(ArrayDesc::dense(ElementType::u8, {{'\n', 5}, {'x', 5}})),
                             doctest::Contains("an axis called byte 10"), ConfigError);
        ArrayDesc of_no_type = ArrayDesc::dense(ElementType::u8, extents);
        of_no_type.type = static_cast<ElementType>(77);
        CHECK_THROWS_WITH_AS(session.upload(View(of_no_type, image.data())), doctest::Contains("element type 77"), ConfigError);
        CHECK_THROWS_WITH_AS(ArrayDesc::dense(static_cast<ElementType>(77), extents), doctest::Contains("element type 77"), Error);
        CHECK_NOTHROW(session.allocate(ArrayDesc::dense(ElementType::u8, {{'n', 5}, {'n', 5}, {'x', 5}})));
        CancelToken token;
        token.cancel();
        CHECK_THROWS_AS(session.box_filter({}, array, {.cancel = token}), CancelledError);
        Session other(Engine({.device = spec}));
        CHECK_THROWS_AS(other.box_filter({}, array), ConfigError);   // an array of another engine
        CHECK(values<std::uint8_t>(session, session.box_filter({.radius = {0}}, array).array("image")) == image);
    }
    CHECK_THROWS_AS(Engine({.device = "no such device"}), UnsupportedError);
}

TEST_CASE("a step of many launches is cancelled while it runs") {
    const std::vector<float> image(256 * 256, 1.0f);
    const DiffusionLbParameters steps{.iterations = 1000000, .sigma = 0};   // hours
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        Session session(Engine({.device = spec}));
        if (session.engine().device().backend == host::Backend::native) continue;   // one task, which nothing ends
        const Array array = session.upload(View(image, {{'y', 256}, {'x', 256}}));
        session.diffusion_lb({.iterations = 2, .sigma = 0}, array);
        const CancelToken token;
        std::thread presses([token] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            token.cancel();
        });
        const auto start = std::chrono::steady_clock::now();
        CHECK_THROWS_AS(session.diffusion_lb(steps, array, {.cancel = token}), CancelledError);
        presses.join();
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
        CHECK(values<float>(session, session.diffusion_lb({.iterations = 2, .sigma = 0}, array).array("image")) == image);
    }
}

TEST_CASE("a plan made in the background is there for the first call") {
    const auto image = ramp(width * height);
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        Session session(Engine({.device = spec}));
        const Call blur =
            call(BoxFilterParameters{.radius = {2}}, {{"image", View(ArrayDesc::dense(ElementType::u8, extents), nullptr)}});
        const Call sum = call(ReduceParameters{}, {{"array", View(ArrayDesc::dense(ElementType::u8, extents), nullptr)}});
        std::vector<double> steps;
        Preparation preparation = session.prepare({blur, sum}, [&](double done) { steps.push_back(done); });
        preparation.wait();
        CHECK(preparation.done());
        CHECK(preparation.progress() == 1);
        CHECK(steps == std::vector<double>{0.25, 0.5, 0.75, 1});
        CHECK(session.box_filter({.radius = {2}}, View(image, extents)).report.find("\"plan_seconds\":0.0,") !=
              std::string::npos);
        CHECK_THROWS_AS(session.prepare({{"box_filtre"}}), ConfigError);
        session.prepare({blur}).cancel();   // and goes at once
    }
}

TEST_CASE("a preparation that its own progress waits for is refused, and ends") {
    Session session(Engine({.device = "native"}));
    const Call blur =
        call(BoxFilterParameters{.radius = {2}}, {{"image", View(ArrayDesc::dense(ElementType::u8, extents), nullptr)}});
    std::promise<Preparation*> made;
    const std::shared_future<Preparation*> own = made.get_future().share();
    std::atomic<int> refused = 0;
    Preparation preparation = session.prepare({blur}, [&refused, own](double) {
        try {
            own.get()->wait();
        } catch (const ConfigError&) {
            ++refused;
        }
    });
    made.set_value(&preparation);
    preparation.wait();
    CHECK(refused == 2);
    preparation.wait();   // and again, as ever
}

TEST_CASE("threads share an engine, each with a session of its own") {
    const auto image = ramp(width * height);
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Engine engine({.device = spec});
        std::vector<std::vector<std::uint8_t>> results(4);
        std::vector<std::thread> threads;
        for (auto& result : results) {
            threads.emplace_back([&engine, &result, &image] {
                Session session(engine);
                for (int i = 0; i < 5; ++i)
                    result =
                        values<std::uint8_t>(session, session.box_filter({.radius = {3}}, View(image, extents)).array("image"));
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (const auto& result : results) CHECK((!result.empty() && result == results[0]));
    }
}

TEST_CASE("memory goes back when the last copy of an array goes") {
    for (const std::string& spec : specs()) {
        const Engine engine({.device = spec});
        Session session(engine);
        const auto before = engine.allocated();
        Array array = session.allocate(ArrayDesc::dense(ElementType::f32, {{'x', 1000}})), copy = array;
        array = {};
        CHECK(engine.allocated() >= before + 4000);
        copy = {};
        CHECK(engine.allocated() == before);
    }
}

TEST_CASE("a moved-from object is an error, and so is a number that is no choice") {
    Engine engine({.device = "native"}), taken = std::move(engine);
    CHECK_THROWS_AS(engine.device(), ConfigError);
    Session session(taken), other = std::move(session);
    CHECK_THROWS_AS(session.allocate(ArrayDesc::dense(ElementType::u8, {{'x', 4}})), ConfigError);
    CHECK_THROWS_AS(session.engine(), ConfigError);
    CHECK_NOTHROW(other.allocate(ArrayDesc::dense(ElementType::u8, {{'x', 4}})));
    Job job, moved = std::move(job);
    CHECK_THROWS_AS(job.json(), ConfigError);
    job = moved;
    CHECK_NOTHROW(job.json());
    CHECK_THROWS_AS((HologramParameters{.method = static_cast<HologramParameters::Method>(99)}.json()), ConfigError);
}

TEST_CASE("a number that JSON does not have is refused by its field, and is no field that was left out") {
    Session session(Engine({.device = "native"}));
    const std::vector<std::uint8_t> image = ramp(16);
    const View view(image, {{'y', 4}, {'x', 4}});
    const double nan = std::nan(""), inf = HUGE_VAL;
    const auto refused = [](auto&& call, const std::string& pointer, const std::string& found) {
        CAPTURE(pointer);
        try {
            call();
            FAIL_CHECK("nothing was thrown");
        } catch (const ConfigError& error) {
            CHECK(error.pointer == pointer);
            CHECK(error.found == found);
        }
    };
    refused([&] { session.threshold({.value = nan}, view); }, "/value", "nan");
    refused([&] { session.threshold({.value = -nan}, view); }, "/value", "nan");
    refused([&] { session.threshold({.value = -inf}, view); }, "/value", "-inf");
    refused([&] { session.arithmetic({.value = inf}, view); }, "/value", "inf");
    refused([&] { ArithmeticParameters{.range = ArithmeticParameters::Range{0, nan}}.json(); }, "/range/high", "nan");
    refused([&] { HologramParameters{.pixel_um = {1, inf}}.json(); }, "/pixel_um/1", "inf");
    refused([&] { HologramParameters{.distance_um = nan}.json(); }, "/distance_um", "nan");
    refused([&] { HologramParameters{.distance_um = {900, inf}}.json(); }, "/distance_um/1", "inf");
    refused([&] { HologramParameters{.distance_um = Sweep::range(900, 1100, nan)}.json(); }, "/distance_um/step", "nan");
    refused([&] { HologramParameters{.distance_um = Sweep::range(-inf, 1100, 50)}.json(); }, "/distance_um/from", "-inf");
    refused([&] { Job().step(ThresholdParameters{.value = inf}); }, "/value", "inf");
}

TEST_CASE("records are asked for values, and say what they have instead") {
    Session session(Engine({.device = "native"}));
    const Result result =
        session.reduce({}, session.upload(View(ramp(1000), {{'x', 1000}})), {.outputs = {"value", "statistics"}});
    const Record statistics = result.values("statistics");
    CHECK(statistics.number("count") == 1000);
    CHECK(statistics.has("mean"));
    CHECK_FALSE(statistics.has("mean/of"));
    CHECK_THROWS_WITH_AS(statistics.number("maen"), doctest::Contains("did you mean \"mean\""), ConfigError);
    CHECK_THROWS_AS(statistics.text("mean"), ConfigError);
    const Record made(R"({"fits": [{"dimension": 1.5}], "curve": [1, 2, 3], "word": "yes", "good": true})");
    CHECK(made.number("fits/0/dimension") == 1.5);
    CHECK(made.at("fits/0").number("dimension") == 1.5);
    CHECK(made.numbers("curve") == std::vector<double>{1, 2, 3});
    CHECK(made.text("word") == "yes");
    CHECK(made.flag("good"));
    CHECK(made.size("curve") == 3);
    CHECK_THROWS_AS(made.number("fits/1/dimension"), ConfigError);
    CHECK_THROWS_AS(made.numbers("fits"), ConfigError);
    CHECK_THROWS_AS(Record("{"), ConfigError);
}
