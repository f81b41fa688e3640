// write(), read(), submit() and download() of a session take effect in the order in which they were called, without a wait.
#include "seed.hpp"
#include "support.hpp"

#include <deque>
#include <random>

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
