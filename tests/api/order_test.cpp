// write(), read(), submit() and download() of a session take effect in the order in which they were called, without a wait.
#include "seed.hpp"
#include "support.hpp"

#include <chrono>
#include <deque>
#include <optional>
#include <random>
#include <thread>

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("calls on the same arrays take effect in the order of the calls, whatever they are") {
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    constexpr std::int64_t rows = 300, columns = 1000;   // long enough that the next call comes while this one runs
    constexpr std::size_t count = static_cast<std::size_t>(rows * columns);
    const std::initializer_list<ArrayDesc::Extent> extents = {{'y', rows}, {'x', columns}};

    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        std::mt19937 random(seed);
        const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        Session session(Engine({.device = spec}));
        std::vector<Array> arrays;
        std::vector<float> model;                       // every element of an array has the same value
        std::deque<std::vector<float>> written, seen;   // memory of what is under way
        std::vector<float> expected;
        for (int i = 0; i < 3; ++i) {
            model.push_back(static_cast<float>(i));
            arrays.push_back(session.upload(View(written.emplace_back(count, model.back()), extents)));
        }
        Event last;
        const CancelToken token;
        for (int i = 0; i < 150; ++i) {
            const auto a = static_cast<std::size_t>(one_of(3)), b = static_cast<std::size_t>(one_of(3));
            const auto value = static_cast<float>(1 + one_of(99));
            switch (one_of(4)) {
                case 0:
                    last = session.write(arrays[a], View(written.emplace_back(count, value), extents));
                    model[a] = value;
                    break;
                case 1:
                case 2: {   // in place, too; one that may be cancelled is handed over by a thread
                    CallOptions options{.into = {{"image", arrays[b]}}};
                    if (one_of(2) == 0) options.cancel = token;
                    last = session.submit(call(ArithmeticParameters{.value = value}, {{"image", arrays[a]}}, options)).done();
                    model[b] = model[a] + value;
                    break;
                }
                default:
                    last = session.read(arrays[a], MutableView(seen.emplace_back(count), extents));
                    expected.push_back(model[a]);
            }
        }
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            const HostArray end = session.download(arrays[i]);
            CHECK(end.as<float>()[0] == model[i]);
            CHECK(end.as<float>()[count - 1] == model[i]);
        }
        last.wait();
        std::vector<float> here(count);
        for (const Array& array : arrays)
            session.read(array, MutableView(here, extents)).wait();   // reads go in order: all have ended
        REQUIRE(seen.size() == expected.size());
        for (std::size_t i = 0; i < seen.size(); ++i) {
            CAPTURE(i);
            CHECK(std::all_of(seen[i].begin(), seen[i].end(), [&](float x) { return x == expected[i]; }));
        }
    }
}

TEST_CASE("what a stopped call was to make is taken by nobody, until something is written there") {
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    constexpr std::int64_t rows = 300, columns = 1000;
    constexpr std::size_t count = static_cast<std::size_t>(rows * columns);
    const std::initializer_list<ArrayDesc::Extent> extents = {{'y', rows}, {'x', columns}};
    const auto is_all = [](const std::vector<float>& seen, float value) {
        return std::all_of(seen.begin(), seen.end(), [&](float x) { return x == value; });
    };

    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        std::mt19937 random(seed);
        const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        Session session(Engine({.device = spec}));
        std::vector<Array> arrays;
        std::deque<std::vector<float>> written, seen;
        std::vector<CancelToken> tokens;
        // What was called, in its order. What became of each is known at the end.
        struct Step {
            std::size_t from = 0, to = 0;
            float value = 0;
            std::optional<Pending> call = {};
            std::optional<Event> event = {};
            std::vector<float>* seen = nullptr;   ///< of a read or download
            bool refused = false;
        };
        std::deque<Step> steps;
        for (std::size_t i = 0; i < 3; ++i) {
            arrays.push_back(session.upload(View(written.emplace_back(count, static_cast<float>(i)), extents)));
            steps.push_back({.to = i, .value = static_cast<float>(i)});
        }
        for (int i = 0; i < 150; ++i) {
            Step& step = steps.emplace_back(Step{.from = static_cast<std::size_t>(one_of(3)), .to = static_cast<std::size_t>(one_of(3)),
                                                 .value = static_cast<float>(1 + one_of(99))});
            switch (one_of(6)) {
                case 0:
                    step.event = session.write(arrays[step.to], View(written.emplace_back(count, step.value), extents));
                    break;
                case 1:
                    step.seen = &seen.emplace_back(count);
                    try {
                        step.event = session.read(arrays[step.from], MutableView(seen.back(), extents));
                    } catch (const CancelledError&) {
                        step.refused = true;
                    }
                    break;
                case 2:
                    step.seen = &seen.emplace_back(count);
                    try {
                        session.download(arrays[step.from], MutableView(seen.back(), extents));
                    } catch (const CancelledError&) {
                        step.refused = true;
                    }
                    break;
                default: {
                    CallOptions options{.into = {{"image", arrays[step.to]}}};
                    if (one_of(2) == 0) tokens.push_back(options.cancel = CancelToken());
                    try {
                        step.call = session.submit(call(ArithmeticParameters{.value = step.value}, {{"image", arrays[step.from]}}, options));
                    } catch (const CancelledError&) {
                        step.refused = true;
                    }
                }
            }
            if (!tokens.empty() && one_of(5) == 0) tokens[static_cast<std::size_t>(one_of(static_cast<int>(tokens.size())))].cancel();
            if (!tokens.empty() && one_of(5) == 0) tokens.back().cancel();
        }
        std::vector<std::optional<float>> model(3);   // nothing: it is not made
        int stopped = 0, refused = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            CAPTURE(i);
            Step& step = steps[i];
            try {
                if (step.call) step.call->get();
                if (step.event) step.event->wait();
            } catch (const CancelledError&) {
                step.refused = true;
                if (step.call) ++stopped, model[step.to].reset();
            }
            if (step.refused) {
                ++refused;
                if (!step.call) CHECK_FALSE(model[step.from]);   // nobody's wish, but its array's
            } else if (step.seen != nullptr) {
                REQUIRE(model[step.from]);
                CHECK(is_all(*step.seen, *model[step.from]));
            } else if (step.call) {
                REQUIRE(model[step.from]);
                model[step.to] = *model[step.from] + step.value;
            } else {
                model[step.to] = step.value;
            }
        }
        MESSAGE(spec << ": " << stopped << " calls stopped, " << refused << " refused");
        CHECK(values<float>(session, session.run(call(ArithmeticParameters{.value = 1}, {{"image", session.upload(View(written[0], extents))}})).array("image"))[0] == 1);
    }
}

TEST_CASE("what a run that was stopped has left in an array is taken by nobody") {
    const std::vector<float> image(256 * 256, 1.0f), before(256 * 256, -7.0f);
    const std::initializer_list<ArrayDesc::Extent> extents = {{'y', 256}, {'x', 256}};
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        Session session(Engine({.device = spec}));
        const Array from = session.upload(View(image, extents)), to = session.upload(View(before, extents));
        const DiffusionLbParameters long_one{.iterations = 400, .sigma = 0};
        session.run(call(long_one, {{"image", from}}, {.into = {{"image", to}}}));
        int stopped = 0;
        for (const int us : {0, 100, 1000, 5000, 20000}) {
            CAPTURE(us);
            std::vector<float> seen(image.size());
            session.write(to, View(before, extents)).wait();
            const CancelToken token;
            std::thread other([&] {
                std::this_thread::sleep_for(std::chrono::microseconds(us));
                token.cancel();
            });
            bool threw = false;
            try {
                session.run(call(long_one, {{"image", from}}, {.into = {{"image", to}}, .cancel = token}));
            } catch (const CancelledError&) {
                threw = true;
            }
            other.join();
            stopped += threw;
            const auto is_all = [&](float value) { return std::all_of(seen.begin(), seen.end(), [&](float x) { return x == value; }); };
            try {
                session.download(to, MutableView(seen, extents));
                CHECK(is_all(threw ? -7.0f : 1.0f));   // it had not begun
            } catch (const CancelledError&) {
                CHECK(threw);
            }
        }
        MESSAGE(spec << ": " << stopped << " stopped");
    }
}

TEST_CASE("a call that was stopped is no other's, whatever comes between") {
    constexpr std::int64_t side = 700;
    const std::vector<float> large(side * side, 1.0f), small(16, 2.0f);
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        Session session(Engine({.device = spec}));
        const Array array = session.upload(View(large, {{'y', side}, {'x', side}})), wrong = session.upload(View(small, {{'y', 4}, {'x', 4}}));
        Job job = Job::parse(R"({"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [{"run": "box_filter", "radius": 1}], "outputs": {"image": "b.npy"}})");
        for (int i = 0; i < 5; ++i) {
            const CancelToken token;
            Pending stopped = session.submit(call(DiffusionAosParameters{.iterations = 20}, {{"image", array}}, {.cancel = token}));
            token.cancel();
            const Array made = stopped.arrays().at("image");
            const auto refused = [&] { session.submit(call(ArithmeticParameters{.value = 1}, {{"image", made}}, {.into = {{"image", wrong}}})); };
            CHECK_THROWS(refused());   // for its target, or as its array
            const View own(small, {{'y', 4}, {'x', 4}});
            CHECK_NOTHROW(session.run(job, {{"image", own}}));
            bool ended_well = true;
            try {
                stopped.get();
            } catch (const CancelledError&) {
                ended_well = false;
            }
            // Whose elements are looked at, which is done at once.
            Job looks = Job::parse(R"({"parallax": 1, "non_finite": "reject", "inputs": {"image": "a.npy"}, "steps": [{"run": "box_filter", "radius": 1}], "outputs": {"image": "b.npy"}})");
            if (ended_well) CHECK_NOTHROW(session.run(looks, {{"image", made}}));
            else CHECK_THROWS_AS(session.run(looks, {{"image", made}}), CancelledError);
        }
    }
}
