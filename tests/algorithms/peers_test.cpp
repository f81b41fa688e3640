// Others' libraries as rows of our algorithms: each takes the problems that it says it takes, refuses the rest, and agrees with
// the algorithm's reference. Outputs lie between guards.
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#ifndef PARALLAX_PEER_MODULES   // of this build: "tbb opencv"
#define PARALLAX_PEER_MODULES ""
#endif

using namespace parallax;
using namespace parallax::engine;

namespace {

using Extents = std::vector<ArrayDesc::Extent>;
using Arrays = std::map<std::string, HostArray>;

struct Input {
    std::string port;
    ElementType type;
    Extents extents;
};

/// A problem, and the peers that take it: the others must refuse.
struct Case {
    std::string algorithm;
    Json parameters;
    std::vector<Input> inputs;
    std::vector<std::string> outputs;
    std::set<std::string> takers;
    double tolerance = 0;      ///< of reals, in parts of the largest magnitude
    bool constant = false;     ///< all elements are 7
};

using T = ElementType;

std::vector<Case> cases() {
    std::vector<Case> all;
    const auto add = [&](std::string algorithm, Json parameters, std::vector<Input> inputs, std::vector<std::string> outputs,
                         std::set<std::string> takers, double tolerance = 0, bool constant = false) {
        all.push_back({std::move(algorithm), std::move(parameters), std::move(inputs), std::move(outputs), std::move(takers),
                       tolerance, constant});
    };
    const auto box = [&](T type, Extents extents, Json parameters, std::set<std::string> takers) {
        const double tolerance =
            takers.count("npp") != 0 ? 2e-5 : 1e-6;   // NPP adds floats as they come: 5.5e-6 on an H200 where 961 are added
        add("box_filter", std::move(parameters), {{"image", type, std::move(extents)}}, {"image"}, std::move(takers), tolerance);
    };
    box(T::u8, {{'y', 37}, {'x', 53}}, {{"radius", 2}, {"border", "replicate"}}, {"opencv", "npp"});
    box(T::u8, {{'y', 37}, {'x', 53}}, {{"radius", 15}, {"border", "replicate"}}, {"opencv", "npp"});
    box(T::u8, {{'y', 37}, {'x', 53}}, {{"radius", {1, 4}}, {"border", "reflect_101"}}, {"opencv"});
    box(T::u8, {{'y', 20}, {'x', 33}, {'c', 3}}, {{"radius", {2, 1}}, {"border", "replicate"}}, {"opencv", "npp"});
    box(T::u8, {{'y', 20}, {'x', 33}, {'c', 2}}, {{"radius", 1}, {"border", "replicate"}}, {"opencv"});
    box(T::u16, {{'y', 19}, {'x', 31}}, {{"radius", 3}, {"border", "replicate"}}, {"opencv", "npp"});
    box(T::u16, {{'y', 19}, {'x', 31}}, {{"radius", 3}, {"border", "reflect"}}, {"opencv"});
    box(T::f32, {{'y', 64}, {'x', 129}}, {{"radius", 15}, {"border", "replicate"}}, {"opencv", "npp"});
    box(T::f32, {{'t', 3}, {'y', 20}, {'x', 33}}, {{"radius", 1}, {"border", "replicate"}}, {"opencv", "npp"});
    box(T::f32, {{'y', 20}, {'x', 33}}, {{"size", {4, 5}}, {"border", "replicate"}}, {"opencv"});
    box(T::f32, {{'y', 20}, {'x', 33}}, {{"radius", 2}, {"border", "constant"}}, {"opencv"});
    box(T::f32, {{'y', 20}, {'x', 33}}, {{"radius", 2}, {"border", "constant"}, {"value", 1}}, {});
    box(T::f32, {{'z', 5}, {'y', 20}, {'x', 33}}, {{"radius", {1, 1, 1}}, {"border", "replicate"}}, {});

    const auto equalize = [&](T type, Extents extents, Json parameters, std::set<std::string> takers, bool constant = false) {
        add("equalize", std::move(parameters), {{"image", type, std::move(extents)}}, {"image"}, std::move(takers), 0, constant);
    };
    equalize(T::u8, {{'y', 61}, {'x', 47}}, Json::object(), {"opencv"});
    equalize(T::u8, {{'y', 61}, {'x', 47}}, Json::object(), {"opencv"}, true);
    equalize(T::u8, {{'y', 61}, {'x', 47}}, {{"formula", "classic"}}, {});
    equalize(T::u8, {{'y', 61}, {'x', 47}, {'c', 3}}, Json::object(), {});
    equalize(T::u16, {{'y', 61}, {'x', 47}}, Json::object(), {});

    const auto histogram = [&](std::vector<Input> inputs, Json parameters, std::set<std::string> takers, bool constant = false) {
        add("histogram", std::move(parameters), std::move(inputs), {"histogram"}, std::move(takers), 0, constant);
    };
    const Extents plane{{'y', 61}, {'x', 47}}, colour{{'y', 61}, {'x', 47}, {'c', 3}};
    histogram({{"image", T::u8, plane}}, Json::object(), {"opencv", "cub"});
    histogram({{"image", T::u8, plane}}, {{"bins", 64}}, {"opencv", "cub"});
    histogram({{"image", T::u8, plane}}, {{"bins", 100}}, {});
    histogram({{"image", T::u16, plane}}, Json::object(), {"opencv", "cub"});
    histogram({{"image", T::u8, colour}}, Json::object(), {"opencv"});
    histogram({{"image", T::u8, plane}, {"mask", T::u8, plane}}, Json::object(), {"opencv"});
    histogram({{"image", T::f32, plane}}, {{"range", {{"low", 0}, {"high", 1}}}}, {});
    histogram({{"image", T::u8, {{'y', 4099}, {'x', 4099}}}}, Json::object(), {"opencv", "cub"},
              true);   // more than f32 can count

    const auto sort = [&](T type, std::int64_t count, Json parameters, std::set<std::string> takers, bool values = false) {
        std::vector<Input> inputs{{"keys", type, {{'x', count}}}};
        std::vector<std::string> outputs{"keys"};
        if (values) {
            inputs.push_back({"values", T::u32, {{'x', count}}});
            outputs.emplace_back("values");
        }
        add("sort", std::move(parameters), std::move(inputs), std::move(outputs), std::move(takers));
    };
    sort(T::u32, 1, Json::object(), {"tbb", "cub"});
    sort(T::u32, 100003, Json::object(), {"tbb", "cub"});
    sort(T::u64, 4099, Json::object(), {"tbb", "cub"});
    sort(T::u64, 4099, {{"order", "descending"}}, {"tbb"});
    sort(T::u32, 4099, {{"bits", {{"begin", 4}, {"end", 12}}}}, {"cub"});
    sort(T::u32, 4099, Json::object(), {"cub"}, true);

    const auto scan = [&](T type, Json parameters, std::set<std::string> takers) {
        for (const std::int64_t count : {std::int64_t{1}, std::int64_t{100003}})
            add("scan", parameters, {{"array", type, {{'x', count}}}}, {"array"}, takers, 1e-6);
    };
    scan(T::u32, {{"kind", "inclusive"}}, {"tbb", "cub"});
    scan(T::u32, {{"kind", "exclusive"}}, {"tbb", "cub"});
    scan(T::u64, {{"kind", "exclusive"}}, {"tbb", "cub"});
    scan(T::f32, {{"kind", "inclusive"}}, {"tbb", "cub"});
    scan(T::i32, {{"kind", "inclusive"}}, {"tbb"});
    scan(T::i32, {{"kind", "exclusive"}, {"op", "min"}}, {"tbb"});
    scan(T::f32, {{"kind", "exclusive"}, {"op", "max"}}, {"tbb"});

    const auto reduce = [&](T type, Json parameters, std::set<std::string> takers, std::string output = "value") {
        add("reduce", std::move(parameters), {{"array", type, {{'y', 31}, {'x', 4099}}}}, {std::move(output)}, std::move(takers),
            1e-6);
    };
    for (const char* op : {"sum", "min", "max"})
        for (const T type : {T::u8, T::u32, T::i32, T::f32}) reduce(type, {{"op", op}}, {"tbb", "cub"});
    reduce(T::u16, Json::object(), {"tbb"});
    reduce(T::f64, Json::object(), {});
    reduce(T::f32, Json::object(), {}, "statistics");

    const auto fft = [&](Json parameters, T type, Extents extents) {
        add("fft", std::move(parameters), {{"array", type, std::move(extents)}}, {"array"}, {"fftw", "cufft"}, 2e-6);
    };
    fft({{"kind", "c2c"}}, T::c64, {{'y', 30}, {'x', 42}});
    fft({{"kind", "c2c"}, {"direction", "inverse"}}, T::c64, {{'y', 30}, {'x', 42}});
    fft({{"kind", "c2c"}, {"dimensions", 1}}, T::c64, {{'y', 7}, {'x', 101}});
    fft({{"kind", "c2c"}}, T::c64, {{'t', 3}, {'y', 16}, {'x', 34}});
    fft({{"kind", "r2c"}}, T::f32, {{'y', 30}, {'x', 43}});
    fft({{"kind", "r2c"}, {"dimensions", 1}}, T::f32, {{'y', 5}, {'x', 64}});
    fft({{"kind", "c2r"}}, T::c64, {{'y', 30}, {'x', 22}});
    fft({{"kind", "c2r"}, {"width", "odd"}}, T::c64, {{'t', 2}, {'y', 12}, {'x', 22}});
    fft({{"kind", "c2r"}, {"dimensions", 1}}, T::c64, {{'y', 5}, {'x', 33}});
    return all;
}

HostArray random_array(const Input& input, bool constant) {
    HostArray array = HostArray::make(ArrayDesc::dense(input.type, input.extents));
    std::mt19937_64 random(3);
    const auto fill = [&]<class V>(V*) {
        auto* const values = reinterpret_cast<V*>(array.data());
        const std::size_t count = array.desc.dense_bytes() / sizeof(V);
        for (std::size_t i = 0; i < count; ++i) {
            if (constant) values[i] = 7;
            else if constexpr (std::is_floating_point_v<V>)
                values[i] = static_cast<V>(std::normal_distribution<double>(1, 2)(random));
            else values[i] = static_cast<V>(random());
        }
    };
    switch (input.type) {
        case T::u8: fill(static_cast<std::uint8_t*>(nullptr)); break;
        case T::u16: fill(static_cast<std::uint16_t*>(nullptr)); break;
        case T::u32: fill(static_cast<std::uint32_t*>(nullptr)); break;
        case T::i32: fill(static_cast<std::int32_t*>(nullptr)); break;
        case T::u64: fill(static_cast<std::uint64_t*>(nullptr)); break;
        case T::f64: fill(static_cast<double*>(nullptr)); break;
        default: fill(static_cast<float*>(nullptr)); break;   // f32 and c64
    }
    return array;
}

struct Result {
    Arrays arrays;
    Json records;
};

/// One device with all algorithms.
class Bench {
public:
    explicit Bench(const tests::DevicePtr& device)
        : engine_(*device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_) {}

    const std::vector<Algorithm>& algorithms() { return engine_.registry().algorithms(); }
    host::Backend backend() { return engine_.device().backend; }

    Problem problem(const Case& c) {
        Problem p;
        for (const Input& input : c.inputs) p.inputs.emplace(input.port, ArrayDesc::dense(input.type, input.extents));
        p.parameters = engine_.registry().get(c.algorithm).parameters.parse(c.parameters, "");
        p.outputs = c.outputs;
        return p;
    }

    std::string why_not(const Variant& variant, const Case& c) {
        return variant.supports(problem(c), engine_.context()).why_not;
    }

    Result run(const Case& c, const std::string& variant, const Arrays& inputs) {
        const Algorithm& algorithm = engine_.registry().get(c.algorithm);
        Call call;
        call.algorithm = &algorithm;
        call.parameters = algorithm.parameters.parse(c.parameters, "");
        call.variant = variant;
        call.outputs = c.outputs;
        for (const auto& [port, array] : inputs) call.inputs[port] = session_.upload(array);
        constexpr std::size_t guard = 4096;
        std::map<std::string, DeviceArray, std::less<>> into;
        std::map<std::string, host::Buffer> whole;
        for (const auto& [port, desc] : algorithm.infer(problem(c))) {
            const std::vector<std::byte> pattern(2 * guard + desc.dense_bytes(), std::byte{0x6d});
            whole[port] = engine_.context().allocate(pattern.size());
            session_.queue().write(whole[port], 0, pattern.data(), pattern.size()).wait();
            into[port].desc = desc;
            into[port].buffer = whole[port].sub(guard, desc.dense_bytes());
        }
        Result result;
        result.records = session_.run(call, into).records;
        for (const auto& [port, buffer] : whole) {
            std::vector<std::byte> bytes(2 * guard + into[port].desc.dense_bytes());
            session_.queue().read(buffer, 0, bytes.data(), bytes.size()).wait();
            const auto untouched = [](std::byte b) { return b == std::byte{0x6d}; };
            CHECK(std::all_of(bytes.begin(), bytes.begin() + guard, untouched));
            CHECK(std::all_of(bytes.end() - guard, bytes.end(), untouched));
            HostArray array = HostArray::make(into[port].desc);
            std::memcpy(array.data(), bytes.data() + guard, array.desc.dense_bytes());
            result.arrays.emplace(port, std::move(array));
        }
        for (const auto& [port, array] : inputs) {
            const HostArray now = session_.download(call.inputs[port]);
            CHECK(std::memcmp(now.data(), array.data(), array.desc.dense_bytes()) == 0);
        }
        return result;
    }

private:
    Engine engine_;
    Session session_;
};

/// Integers exactly, or, of `levels`, almost; reals in parts of the largest magnitude.
void check_same(const HostArray& got, const HostArray& want, double tolerance, int levels) {
    REQUIRE(got.desc.dense_bytes() == want.desc.dense_bytes());
    if (want.desc.type == T::f32 || want.desc.type == T::c64) {
        const auto *a = reinterpret_cast<const float*>(got.data()), *b = reinterpret_cast<const float*>(want.data());
        const std::size_t count = want.desc.dense_bytes() / sizeof(float);
        double largest = 0, worst = 0;
        for (std::size_t i = 0; i < count; ++i) {
            largest = std::max(largest, std::abs(double{b[i]}));
            worst = std::max(worst, std::isnan(a[i]) ? HUGE_VAL : std::abs(double{a[i]} - double{b[i]}));
        }
        CHECK(worst <= tolerance * largest);
    } else if (levels > 0 && want.desc.type == T::u8) {
        int worst = 0;
        for (std::size_t i = 0; i < want.desc.dense_bytes(); ++i)
            worst = std::max(worst, std::abs(static_cast<int>(got.data()[i]) - static_cast<int>(want.data()[i])));
        CHECK(worst <= levels);
    } else if (levels > 0 && want.desc.type == T::u16) {
        const auto *a = reinterpret_cast<const std::uint16_t*>(got.data()),
                   *b = reinterpret_cast<const std::uint16_t*>(want.data());
        int worst = 0;
        for (std::size_t i = 0; i < want.desc.dense_bytes() / 2; ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
        CHECK(worst <= levels);
    } else {
        CHECK(std::memcmp(got.data(), want.data(), want.desc.dense_bytes()) == 0);
    }
}

void check_same(const Json& got, const Json& want, double tolerance) {
    REQUIRE(got.size() == want.size());
    for (const auto& [port, record] : want.items())
        for (const auto& [key, value] : record.items()) {
            const Json& other = got.at(port).at(key);
            if (value.is_number_float())
                CHECK(std::abs(other.get<double>() - value.get<double>()) <= tolerance * std::abs(value.get<double>()));
            else CHECK(other == value);
        }
}

bool was_built(const std::string& peer) {
    std::istringstream modules(PARALLAX_PEER_MODULES);
    for (std::string name; modules >> name;)
        if (name == peer) return true;
    return false;
}

}  // namespace

TEST_CASE("peers: each takes what it says and agrees with the reference") {
    Bench native(host::enumerate().devices.back());
    REQUIRE(native.backend() == host::Backend::native);
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        std::set<std::string> missing;
        for (const Case& c : cases()) {
            CAPTURE(c.algorithm);
            CAPTURE(c.parameters.dump());
            CAPTURE(ArrayDesc::dense(c.inputs[0].type, c.inputs[0].extents).describe());
            std::optional<Result> want;
            Arrays inputs;
            const auto algorithm = std::find_if(bench.algorithms().begin(), bench.algorithms().end(),
                                                [&](const Algorithm& a) { return a.name == c.algorithm; });
            for (const Variant& variant : algorithm->variants) {
                if (variant.role != Role::peer || variant.backends.front() != bench.backend()) continue;
                CAPTURE(variant.name);
                const std::string reason = bench.why_not(variant, c);
                CAPTURE(reason);
                bool absent = false;
                for (const char* words : {"cannot open", "without cuFFT", "this build is without it"})
                    absent = absent || reason.find(words) != std::string::npos;
                if (absent) missing.insert(variant.name + ": " + reason);
                if (absent && !was_built(variant.name)) continue;
                CHECK(reason.empty() == (c.takers.count(variant.name) != 0));
                if (!reason.empty()) continue;
                if (!want) {
                    for (const Input& input : c.inputs) inputs.emplace(input.port, random_array(input, c.constant));
                    if (c.parameters.value("kind", "") == "c2r") {   // what is transformed back is half the spectrum of reals
                        const bool odd = c.parameters.value("width", "even") == "odd";
                        Case forth{"fft",
                                   {{"kind", "r2c"}, {"dimensions", c.parameters.value("dimensions", 2)}},
                                   c.inputs,
                                   {"array"},
                                   {}};
                        forth.inputs[0].type = T::f32;
                        forth.inputs[0].extents.back().size = 2 * c.inputs[0].extents.back().size - (odd ? 1 : 2);
                        inputs.at("array") =
                            native.run(forth, "reference", {{"array", random_array(forth.inputs[0], false)}}).arrays.at("array");
                    }
                    want = native.run(c, "reference", inputs);
                }
                const Result got = bench.run(c, variant.name, inputs);
                const int levels = variant.name == "npp" ? 1 : 0;   // how it rounds is not documented
                for (const auto& [port, array] : want->arrays) check_same(got.arrays.at(port), array, c.tolerance, levels);
                check_same(got.records, want->records, c.tolerance);
            }
        }
        for (const std::string& name : missing) MESSAGE("not compared: ", name);
    }
}

TEST_CASE("peers: none runs unless it is asked for") {
    const auto devices = tests::devices_under_test();
    Engine engine(*devices.back(), registry_with_peers(), {host::ProgramCache::open()});
    Session session(engine);
    for (const Algorithm& algorithm : engine.registry().algorithms()) {
        if (algorithm.name != "scan") continue;
        const Problem problem{
            {{"array", ArrayDesc::dense(T::u32, {{'x', 5}})}}, algorithm.parameters.parse(Json::object(), ""), {"array"}};
        const Choice choice = session.choose(algorithm, problem, "", Json::object(), "");
        CHECK(choice.variant->role != Role::peer);
        for (const Refusal& refusal : choice.refusals) CHECK(refusal.variant != "tbb");
    }
}
