// Outputs that lie where inputs or other outputs lie: whatever the overlap, a call is refused or right, for every algorithm.
#include "cases/inputs.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "opencl/borrow.hpp"
#include "opencl/native.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/place.hpp"
#include "selftest/problems.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"

#include <doctest/doctest.h>

#include <CL/cl.h>

#include <algorithm>
#include <cstring>
#include <random>

using namespace parallax;
using namespace parallax::engine;
using host::place_of;

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t step = 4096;   // where any device lets a part of a buffer begin

std::size_t rounded(std::size_t bytes) { return (bytes + step - 1) / step * step; }

/// One algorithm on arrays that lie anywhere in one piece of memory.
class Arena {
public:
    Arena(Engine& engine, const selftest::SmallProblem& problem) : session_(engine) {
        call_.algorithm = &engine.registry().get(problem.algorithm);
        call_.parameters = call_.algorithm->parameters.parse(problem.parameters, "");
        call_.outputs = problem.outputs;
        compare::HostArrays made;
        for (const auto& [port, rule] : problem.inputs.items()) made[port] = compare::make_input(port, rule, session_, made, {});
        Problem asked{{}, call_.parameters, problem.outputs};
        for (const auto& [port, array] : made) {
            inputs_.emplace(port, array.to_dense());
            asked.inputs.emplace(port, inputs_.at(port).desc);
            call_.inputs[port] = session_.upload(array);
        }
        shapes_ = call_.algorithm->infer(asked);
        const CallResult apart = session_.run(call_);
        for (const auto& [port, array] : apart.outputs) wanted_[port] = bytes_of_array(session_.download(array));
        for (const auto& [port, array] : inputs_) room_ += rounded(array.desc.dense_bytes());
        for (const auto& [port, desc] : shapes_) room_ += rounded(desc.dense_bytes());
        memory_ = session_.context().allocate(room_ + step);
        names_ = [&] {
            std::vector<std::string> all;
            for (const auto& [port, array] : inputs_) all.push_back("in " + port);
            for (const auto& [port, desc] : shapes_) all.push_back("out " + port);
            return all;
        }();
    }

    bool has_arrays() const { return !shapes_.empty() && (!inputs_.empty() || shapes_.size() > 1); }
    const ArrayDescs& shapes() const { return shapes_; }
    const std::map<std::string, HostArray>& inputs() const { return inputs_; }
    std::size_t room() const { return room_; }

    enum Outcome { right, wrong, refused };
    /// `at`: where each array begins, "in image" -> byte.
    Outcome run(const std::map<std::string, std::size_t>& at, std::string* why = nullptr) {
        for (const auto& [port, array] : inputs_) {
            call_.inputs[port].buffer = memory_.sub(at.at("in " + port), array.desc.dense_bytes());
            session_.queue().write(call_.inputs[port].buffer, 0, array.data(), array.desc.dense_bytes()).wait();
        }
        std::map<std::string, DeviceArray, std::less<>> into;
        for (const auto& [port, desc] : shapes_) into[port] = {desc, {}, memory_.sub(at.at("out " + port), desc.dense_bytes())};
        try {
            const CallResult result = session_.run(call_, into);
            bool same = true;
            for (const auto& [port, bytes] : wanted_)
                same = same && bytes_of_array(session_.download(result.outputs.at(port))) == bytes;
            return same ? right : wrong;
        } catch (const ConfigError& error) {
            if (why) *why = error.what();
            CHECK(error.pointer.starts_with("/into/"));
            return refused;
        }
    }
    /// Whether any output shares bytes with anything else; inputs may share with each other, but then one has the other's values.
    bool overlaps(const std::map<std::string, std::size_t>& at) const {
        for (const auto& [port, desc] : shapes_)
            for (const std::string& other : names_) {
                if (other == "out " + port) continue;
                const std::size_t a = at.at("out " + port), b = at.at(other);
                if (a < b + size_of(other) && b < a + desc.dense_bytes()) return true;
            }
        return false;
    }
    std::size_t size_of(const std::string& name) const {
        return name.starts_with("in ") ? inputs_.at(name.substr(3)).desc.dense_bytes() : shapes_.at(name.substr(4)).dense_bytes();
    }
    const std::vector<std::string>& names() const { return names_; }

private:
    static Bytes bytes_of_array(const HostArray& array) { return Bytes(array.data(), array.data() + array.desc.dense_bytes()); }

    Session session_;
    Call call_;
    std::map<std::string, HostArray> inputs_;
    ArrayDescs shapes_;
    std::map<std::string, Bytes> wanted_;
    std::vector<std::string> names_;
    std::size_t room_ = 0;
    host::Buffer memory_;
};

/// The self-test's first of each algorithm, since every further one is a further program to compile; and those that may work in
/// place.
std::vector<selftest::SmallProblem> all_problems() {
    std::vector<selftest::SmallProblem> all;
    for (const selftest::SmallProblem& problem : selftest::problems(selftest::Extent::cover))
        if (all.empty() || all.back().algorithm != problem.algorithm) all.push_back(problem);
    const Json reals = Json::parse(R"({"make": "random", "type": "f32", "axes": "yx", "shape": [61, 83], "range": [-2, 2]})");
    const Json bytes = Json::parse(R"({"make": "random", "type": "u8", "axes": "yx", "shape": [161, 83]})");
    const Json speckled = Json::parse(R"({"make": "blocks", "type": "f32", "axes": "yx", "shape": [75, 92], "range": [0, 255]})");
    const Json selection = Json::parse(R"({"make": "random", "type": "u8", "axes": "yx", "shape": [61, 83], "range": [0, 1]})");
    all.push_back({"arithmetic", "f32, multiply", {{"image", reals}}, {{"op", "multiply"}, {"value", 1.7}}, {"image"}});
    all.push_back(
        {"convert", "f32 to u8", {{"image", reals}}, {{"type", "u8"}, {"window", {{"low", -1}, {"high", 1.5}}}}, {"image"}});
    all.push_back({"mask", "f32", {{"image", reals}, {"mask", selection}}, {{"value", 0.5}}, {"image"}});
    all.push_back({"threshold", "u8, Otsu", {{"image", bytes}}, {{"method", "otsu"}}, {"mask", "threshold"}});
    all.push_back({"box_filter", "f32, radius 3", {{"image", speckled}}, {{"radius", 3}}, {"image"}});
    all.push_back({"equalize", "u8", {{"image", bytes}}, Json::object(), {"image"}});
    all.push_back({"diffusion_aos", "f32, 2 steps", {{"image", speckled}}, {{"iterations", 2}}, {"image"}});
    all.push_back({"arithmetic", "f32, two arrays", {{"image", reals}, {"other", reals}}, {{"op", "subtract"}}, {"image"}});
    all.push_back({"convert", "f32 to i32", {{"image", reals}}, {{"type", "i32"}}, {"image"}});
    all.push_back({"convert",
                   "u8 by percentiles",
                   {{"image", bytes}},
                   {{"type", "u8"}, {"percentiles", {{"low", 5}, {"high", 95}}}},
                   {"image"}});
    all.push_back({"mask", "u8", {{"image", bytes}, {"mask", bytes}}, {{"value", 3}}, {"image"}});
    all.push_back({"threshold", "u8, a value", {{"image", bytes}}, {{"method", "value"}, {"value", 100}}, {"mask"}});
    return all;
}

}  // namespace

TEST_CASE("overlap: outputs anywhere in one piece of memory are refused or right, for every algorithm") {
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random()) % most; };
    for (const auto& device : tests::devices_under_test()) {
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        const bool slow = device->info().platform == "rusticl";   // its compiler: the check is the same for all
        int draws = 0, refusals = 0;
        for (const selftest::SmallProblem& problem : all_problems()) {
            if (slow && problem.algorithm != "arithmetic" && problem.algorithm != "box_filter" && problem.algorithm != "mask")
                continue;
            INFO(tests::device_label(*device) << ", " << problem.algorithm << ", " << problem.name);
            Arena arena(engine, problem);
            if (!arena.has_arrays()) continue;
            for (int i = 0; i < 12; ++i, ++draws) {
                // All apart, one after the other, in random order ...
                std::vector<std::string> order = arena.names();
                std::shuffle(order.begin(), order.end(), random);
                std::map<std::string, std::size_t> at;
                std::size_t end = 0;
                for (const std::string& name : order) {
                    at[name] = end;
                    end += rounded(arena.size_of(name));
                }
                // ... then, but for the first draws, an output moves to where something else is, or to a part of it.
                if (i >= 2) {
                    const auto shape =
                        std::next(arena.shapes().begin(), static_cast<std::ptrdiff_t>(below(arena.shapes().size())));
                    const std::string moved = "out " + shape->first;
                    std::string other = moved;
                    while (other == moved) other = order[below(order.size())];
                    const std::size_t parts = rounded(arena.size_of(other)) / step;
                    const std::size_t to = at[other] + (i % 2 == 0 ? 0 : step * below(parts));
                    at[moved] = std::min(to, arena.room() - rounded(arena.size_of(moved)));
                }
                std::string why;
                const Arena::Outcome outcome = arena.run(at, &why);
                std::string places;
                for (const auto& [name, first] : at)
                    places += name + " at " + std::to_string(first) + ", " + std::to_string(arena.size_of(name)) + " bytes; ";
                CAPTURE(places);
                CAPTURE(why);
                CHECK(outcome != Arena::wrong);
                if (!arena.overlaps(at)) CHECK(outcome == Arena::right);
                refusals += outcome == Arena::refused;
            }
        }
        MESSAGE(tests::device_label(*device) << ": " << draws << " draws, " << refusals << " refused, no wrong result");
        CHECK(refusals > 0);
    }
}

TEST_CASE("overlap: what says that it works in place does, and nothing else may") {
    struct Row { const char *algorithm, *name, *input; bool may; };
    const Row rows[] = {{"arithmetic", "f32, multiply", "image", true},
                        {"arithmetic", "f32, two arrays", "other", true},
                        {"convert", "f32 to i32", "image", true},
                        {"convert", "u8 by percentiles", "image", true},
                        {"convert", "f32 to u8", "image", false},
                        {"mask", "u8", "image", true},
                        {"mask", "u8", "mask", true},
                        {"mask", "f32", "mask", false},
                        {"threshold", "u8, a value", "image", true},
                        {"threshold", "u8, Otsu", "image", true},
                        {"box_filter", "f32, radius 3", "image", false},
                        {"equalize", "u8", "image", false},
                        {"diffusion_aos", "f32, 2 steps", "image", false}};
    for (const auto& device : tests::devices_under_test()) {
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        for (const Row& row : rows) {
            INFO(tests::device_label(*device) << ", " << row.algorithm << ", " << row.name);
            const std::vector<selftest::SmallProblem> all = all_problems();
            const auto problem = std::find_if(all.begin(), all.end(),
                                              [&](const auto& p) { return p.algorithm == row.algorithm && p.name == row.name; });
            REQUIRE(problem != all.end());
            if (device->info().platform == "rusticl" && problem->algorithm != "arithmetic" &&
                problem->algorithm != "box_filter" && problem->algorithm != "mask")
                continue;
            Arena arena(engine, *problem);
            std::map<std::string, std::size_t> at;
            std::size_t end = 0;
            for (const std::string& name : arena.names()) {
                at[name] = end;
                end += rounded(arena.size_of(name));
            }
            at["out " + arena.shapes().begin()->first] = at.at("in " + std::string(row.input));
            std::string why;
            CHECK(arena.run(at, &why) == (row.may ? Arena::right : Arena::refused));
            if (!row.may) CHECK(why.find("allocate another array") != std::string::npos);
        }
    }
}

TEST_CASE("overlap: two outputs into one array are refused") {
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        if (device->info().platform == "rusticl") continue;
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        const auto& all = selftest::problems(selftest::Extent::cover);
        const auto sort =
            std::find_if(all.begin(), all.end(), [](const auto& p) { return p.algorithm == "sort" && p.outputs.size() == 2; });
        REQUIRE(sort != all.end());
        Arena arena(engine, *sort);
        std::map<std::string, std::size_t> at;
        std::size_t end = 0;
        for (const std::string& name : arena.names()) {
            at[name] = end;
            end += rounded(arena.size_of(name));
        }
        CHECK(arena.run(at) == Arena::right);
        at["out values"] = at["out keys"];
        std::string why;
        CHECK(arena.run(at, &why) == Arena::refused);
        CHECK(why.find("memory of the output") != std::string::npos);
        at["out values"] = at["out keys"] + step;
        CHECK(arena.run(at) == Arena::refused);
    }
}

TEST_CASE("overlap: handles of the host application's own sub-buffers tell the memory that they are of") {
    for (const auto& device : tests::kernel_devices_under_test()) {
        if (device->info().backend != host::Backend::opencl) continue;
        INFO(tests::device_label(*device));
        const auto context = device->open({});
        const host::Buffer whole = context->allocate(4 * step);
        cl_mem const handle = host::opencl::memory_handle(whole);
        const auto part_of = [&](std::size_t first, std::size_t bytes) {
            const cl_buffer_region region{first, bytes};
            cl_int status = CL_SUCCESS;
            const cl_mem part = clCreateSubBuffer(handle, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
            REQUIRE(status == CL_SUCCESS);
            const host::Buffer borrowed = host::opencl::borrow_memory(*context, part);
            clReleaseMemObject(part);
            return borrowed;
        };
        const host::Buffer again = host::opencl::borrow_memory(*context, handle), first = part_of(0, 2 * step),
                           second = part_of(step, step), third = part_of(2 * step, step);
        CHECK(place_of(whole).overlaps(place_of(again)));
        CHECK(place_of(whole).overlaps(place_of(third)));
        CHECK(place_of(first).overlaps(place_of(second)));
        CHECK_FALSE(place_of(first).overlaps(place_of(third)));
        CHECK(place_of(whole.sub(step, step)).overlaps(place_of(second)));
        CHECK_FALSE(place_of(whole.sub(0, step)).overlaps(place_of(second)));
        CHECK_FALSE(place_of(whole).overlaps(place_of(context->allocate(step))));
        CHECK_FALSE(place_of(whole.sub(0, 0)).overlaps(place_of(whole)));
    }
}
