// Inputs that change between the look at them and the reading, and beside running jobs.
#include "exchanged.hpp"
#include "job/load.hpp"
#include "job/read.hpp"
#include "job/runner.hpp"
#include "job/slices.hpp"
#include "support.hpp"
#include "peers/peers.hpp"

#include <atomic>
#include <functional>
#include <random>
#include <set>
#include <thread>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

HostArray of(ElementType type, std::vector<ArrayDesc::Extent> extents, int value) {
    HostArray array = HostArray::make(ArrayDesc::dense(type, extents));
    const std::int64_t count = array.desc.count();
    for (std::int64_t i = 0; i < count; ++i) {
        if (type == ElementType::f32) array.as<float>()[i] = static_cast<float>(value);
        else if (type == ElementType::u16) array.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(value);
        else array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(value);
    }
    return array;
}

/// Another file under the same name, as a camera or an editor puts it there.
void replace(const fs::path& file, const HostArray& array) {
    const fs::path beside = file.parent_path() / ("new-" + file.filename().string());
    io::write(beside, array, {.overwrite = true});
    fs::rename(beside, file);
}

Prepared prepared_job(const TempFolder& folder, const Json& job) {
    static const Registry registry = registry_with_peers();
    Locations where;
    where.job_folder = folder.path();
    where.out = folder / "out";
    return prepare(parse_job(job, registry.algorithms()), where, true);
}

Json add_one(const Json& input) {
    return {{"parallax", 1},
            {"inputs", {{"image", input}}},
            {"steps", {{{"run", "arithmetic"}, {"value", 1}}}},
            {"outputs", {{"image", "o.npy"}}}};
}

}  // namespace

TEST_CASE("changing: a file that is another one by now is an error that says so, and nothing is written") {
    using enum ElementType;
    Engine engine(*host::enumerate().native(), registry_with_peers());
    const HostArray planned = of(f32, {{'y', 70}, {'x', 90}}, 7);
    struct Row {
        const char* what;
        HostArray later;
    };
    const std::vector<Row> rows = {{"smaller", of(f32, {{'y', 2}, {'x', 3}}, 1)},
                                   {"larger", of(f32, {{'y', 700}, {'x', 900}}, 1)},
                                   {"of another type", of(u8, {{'y', 70}, {'x', 90}}, 1)},
                                   {"turned", of(f32, {{'y', 90}, {'x', 70}}, 1)},
                                   {"a stack", of(f32, {{'z', 2}, {'y', 70}, {'x', 90}}, 1)},
                                   {"with channels", of(f32, {{'y', 70}, {'x', 90}, {'c', 2}}, 1)},
                                   {"of the same shape", of(f32, {{'y', 70}, {'x', 90}}, 8)}};
    for (const char* const name : {"a.npy", "a.tif", "a.nii", "a.nii.gz"}) {
        for (const Row& row : rows) {
            if (row.later.desc.find('c') && std::string(name).starts_with("a.nii")) continue;
            for (const bool several : {false, true}) {
                CAPTURE(name);
                CAPTURE(std::string(row.what));
                CAPTURE(several);
                const TempFolder folder;
                io::write(folder / name, planned);
                const Prepared prepared =
                    prepared_job(folder, add_one(several ? Json{{"files", {name, name}}, {"combine", "mean"}} : Json(name)));
                replace(folder / name, row.later);
                const IoError error = error_of<IoError>([&] { run(prepared, engine); });
                CHECK(contains(error.what(), "has changed"));
                CHECK(contains(error.what(), name));
                CHECK_FALSE(fs::exists(folder / "out/o.npy"));
            }
        }
    }
    SUBCASE("gone") {
        const TempFolder folder;
        io::write(folder / "a.npy", planned);
        const Prepared prepared = prepared_job(folder, add_one("a.npy"));
        fs::remove(folder / "a.npy");
        CHECK(contains(error_of<IoError>([&] { run(prepared, engine); }).what(), "has gone"));
    }
    SUBCASE("written over in place, and cut off") {
        const TempFolder folder;
        io::write(folder / "a.npy", planned);
        const Prepared prepared = prepared_job(folder, add_one("a.npy"));
        fs::resize_file(folder / "a.npy", 4000);
        CHECK(contains(error_of<IoError>([&] { run(prepared, engine); }).what(), "has changed"));
    }
}

TEST_CASE("changing: a volume in slabs or in tiles is held against its plan as well") {
    using enum ElementType;
    Engine engine(*host::enumerate().native(), registry_with_peers());
    const HostArray planned = of(u16, {{'z', 40}, {'y', 30}, {'x', 50}}, 9);
    const Json count{{"parallax", 1},
                     {"inputs", {{"volume", {{"file", "v.nii"}, {"slab", 4}}}}},
                     {"steps", {{{"run", "box_count"}, {"threshold", 5}}}},
                     {"outputs", {{"counts", "c.json"}}}};
    Json tiles = add_one("v.nii");
    InputWarnings none;
    tiles["memory_limit"] = 100000u;
    for (const HostArray& later : {of(u16, {{'z', 2}, {'y', 3}, {'x', 5}}, 9), of(u8, {{'z', 40}, {'y', 30}, {'x', 50}}, 9),
                                   of(u16, {{'z', 40}, {'y', 30}, {'x', 50}}, 1)}) {
        CAPTURE(later.desc.describe());
        const TempFolder folder;
        io::write(folder / "v.nii", planned);
        const Prepared prepared = prepared_job(folder, tiles), counted = prepared_job(folder, count);
        replace(folder / "v.nii", later);
        CHECK(contains(error_of<IoError>([&] { run(prepared, engine); }).what(), "has changed"));
        CHECK_FALSE(fs::exists(folder / "out"));
        std::vector<std::byte> slab(4 * 30 * 50 * 2);
        const ReadSlices read = slices_of(counted.job.inputs.front(), counted.inputs.front(), NonFinite::propagate, none);
        CHECK(contains(error_of<IoError>([&] { read({0, 4}, slab.data()); }).what(), "has changed"));
    }
    SUBCASE("between two slabs") {
        const TempFolder folder;
        io::write(folder / "v.nii", planned);
        const Prepared prepared = prepared_job(folder, count);
        const ReadSlices read = slices_of(prepared.job.inputs.front(), prepared.inputs.front(), NonFinite::propagate, none);
        std::vector<std::uint16_t> slices(4 * 30 * 50);
        read({0, 4}, reinterpret_cast<std::byte*>(slices.data()));
        CHECK(slices == std::vector<std::uint16_t>(slices.size(), 9));
        replace(folder / "v.nii", of(u16, {{'z', 40}, {'y', 30}, {'x', 50}}, 1));
        CHECK(contains(error_of<IoError>([&] {
                           read({4, 8}, reinterpret_cast<std::byte*>(slices.data()));
                       }).what(),
                       "has changed"));
    }
}

TEST_CASE("changing: what is combined of neighbours has the shape that was planned for") {
    using enum ElementType;
    const TempFolder folder;
    io::write(folder / "a.npy", of(f32, {{'y', 7}, {'x', 9}}, 7));
    const Prepared prepared = prepared_job(folder, add_one("a.npy"));
    InputSpec spec = prepared.job.inputs.front();
    spec.combine = "mean";
    InputWarnings none;
    const std::vector<HostArray> others(3, of(f32, {{'y', 9}, {'x', 7}}, 1));
    CHECK(contains(error_of<IoError>([&] { combine_input(spec, prepared.inputs.front(), others, none); }).what(),
                   "has changed"));
}

TEST_CASE("changing: files are exchanged beside running jobs; each job fails, or is right for one of them") {
    using enum ElementType;
    const long flips = asked_flips();
    const std::vector<HostArray> states = {of(f32, {{'y', 70}, {'x', 90}}, 7), of(f32, {{'y', 2}, {'x', 3}}, 1),
                                           of(u8, {{'y', 70}, {'x', 90}}, 2), of(f32, {{'y', 700}, {'x', 90}}, 3),
                                           of(u16, {{'z', 5}, {'y', 20}, {'x', 30}}, 4)};
    for (const char* const name : {"a.npy", "a.tif"}) {
        CAPTURE(std::string(name));
        const TempFolder folder;
        const fs::path file = folder / name;
        io::write(file, states[0]);
        std::atomic<long> done = 0;
        std::atomic<bool> over = false;
        std::thread other([&] {
            std::mt19937 random(17);
            while (done < flips / 2 && !over) {
                const HostArray& next = states[random() % states.size()];
                if (random() % 2 == 0) replace(file, next);
                else io::write(file, next, {.overwrite = true});
                ++done;
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
            }
        });
        Engine engine(*host::enumerate().native(), registry_with_peers());
        std::size_t right = 0, failed = 0, changed = 0;
        while (done < flips / 2) {
            std::error_code ignored;
            fs::remove(folder / "out/o.npy", ignored);
            try {
                run(prepared_job(folder, add_one(name)), engine);
            } catch (const Error& error) {
                ++failed;
                changed += contains(error.what(), "has changed") ? 1 : 0;
                CHECK_FALSE(fs::exists(folder / "out/o.npy"));
                continue;
            }
            const HostArray result = io::read(folder / "out/o.npy");
            bool known = false;
            for (const HostArray& state : states) {
                if (state.desc.count() != result.desc.count() || state.desc.axes.size() != result.desc.axes.size() ||
                    result.desc.type != state.desc.type)
                    continue;
                const auto all = [&]<class T>(T) {
                    for (std::int64_t i = 0; i < state.desc.count(); ++i)
                        if (result.as<T>()[i] != static_cast<T>(state.as<T>()[i] + 1)) return false;
                    return true;
                };
                known = known || (state.desc.type == f32   ? all(float{})
                                  : state.desc.type == u16 ? all(std::uint16_t{})
                                                           : all(std::uint8_t{}));
            }
            REQUIRE(known);
            ++right;
        }
        over = true;
        other.join();
        MESSAGE(std::string(name) << ": " << done.load() << " exchanges, " << right << " jobs right, " << failed
                                  << " refused, of them as changed " << changed);
        CHECK(right > 0);
    }
}
