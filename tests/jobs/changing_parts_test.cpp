// Elements that stand beside their header, and stores, which are exchanged beside running jobs: each job fails, or is right for
// one state.
#include "exchanged.hpp"
#include "parallax/host/enumerate.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

#if !defined(_WIN32)

namespace {

constexpr std::int64_t rows = 150, columns = 200;

std::string elements(unsigned state, std::size_t bytes = rows * columns) {
    return std::string(bytes, static_cast<char>(10 + state));
}

HostArray all_of(unsigned state) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', rows}, {'x', columns}}));
    std::fill_n(array.as<std::uint8_t>(), rows * columns, static_cast<std::uint8_t>(10 + state));
    return array;
}

/// One of what is done to elements in a file of their own.
void change(const fs::path& file, const fs::path& outside, unsigned random, bool confined) {
    std::error_code ignored;
    const unsigned state = random / 16 % 4;
    switch (random % 8) {
        case 0: fs::remove(file, ignored); break;
        case 1: put_anew(file, elements(state, 100)); break;
        case 2: fs::resize_file(file, 77, ignored); break;
        case 3: write_text(file, elements(state)); break;   // in place
        case 4:
            fs::remove(file, ignored);
            if (confined) fs::create_symlink(outside, file, ignored);
            break;
        default: put_anew(file, elements(state));
    }
}

}   // namespace

TEST_CASE("changing: detached elements and stores are exchanged beside running jobs, confined or not") {
    const long flips = asked_flips() / 5;
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    Engine engine(*host::enumerate().native(), registry_with_peers());
    for (const std::string name : {"a.nhdr", "a.mhd", "a.zarr"}) {
        for (const bool confined : {false, true}) {
            const bool store = name == "a.zarr";
            if (store && confined) continue;   // folders are refused there
            CAPTURE(name);
            CAPTURE(confined);
            const TempFolder folder, outside;
            fs::create_directories(folder / "job");
            write_text(outside / "hidden-name", std::string(rows * columns, static_cast<char>(200)));
            write_text(folder / "job/a.nhdr",
                       "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 200 150\nencoding: raw\ndata file: a.raw\n");
            write_text(folder / "job/a.mhd",
                       "ObjectType = Image\nNDims = 2\nDimSize = 200 150\nElementType = MET_UCHAR\nElementDataFile = a.raw\n");
            const auto make_whole = [&](unsigned state) {
                if (!store) return put_anew(folder / "job/a.raw", elements(state));
                fs::remove_all(folder / "coming.zarr");
                fs::remove_all(folder / "going.zarr");
                io::write(folder / "coming.zarr", all_of(state));
                if (fs::exists(folder / "job/a.zarr")) fs::rename(folder / "job/a.zarr", folder / "going.zarr");
                fs::rename(folder / "coming.zarr", folder / "job/a.zarr");
            };
            make_whole(0);
            std::atomic<long> done = 0;
            std::jthread other([&](const std::stop_token& stop) {
                std::mt19937_64 random(seed);
                while (done < flips && !stop.stop_requested()) {
                    if (store || random() % 3 == 0) make_whole(static_cast<unsigned>(random() % 4));
                    else change(folder / "job/a.raw", outside / "hidden-name", static_cast<unsigned>(random()), confined);
                    ++done;
                    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
                }
            });
            CopiedBeside job(engine, folder, name, confined);
            long right = 0, before = 0;
            for (bool at_last = false; !at_last;) {
                if (done >= flips) {
                    other.join();
                    make_whole(1);
                    at_last = true;
                    before = std::exchange(right, 0);
                }
                const std::optional<HostArray> array = job.run();
                if (!array) continue;
                const auto* const values = array->as<std::uint8_t>();
                REQUIRE(array->desc.count() == rows * columns);
                CAPTURE(static_cast<int>(values[0]));
                REQUIRE(values[0] >= 10);
                REQUIRE(values[0] < 14);
                REQUIRE(std::all_of(values, values + rows * columns, [&](std::uint8_t value) { return value == values[0]; }));
                ++right;
            }
            MESSAGE(name << std::string(confined ? ", confined: " : ": ") << done.load() << " exchanges, " << before
                         << " jobs right, " << job.refused() << " refused, of them as changed " << job.changed());
            CHECK(right == 1);
        }
    }
}

#endif
