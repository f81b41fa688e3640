// A folder of DICOM slices that are exchanged beside running jobs: each job fails, or has the slices that were there at one
// moment.
#include "exchanged.hpp"
#include "io/dicom_by_hand.hpp"
#include "parallax/host/enumerate.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

#if !defined(_WIN32)

namespace {

constexpr int slices = 5, generations = 32, side = 40;
constexpr std::int64_t pixels = side * side;

std::string slice(int position, int generation) {
    Dicom file;
    file.rows = file.columns = side;
    file.position = "0\\0\\" + std::to_string(position);
    file.pixels = std::string(pixels, static_cast<char>(generation * 8 + position));
    return file.bytes();
}

/// Slices are exchanged from the first on, all of a generation before one of the next. So at every moment their generations are
/// alike, or the first ones are one further. One may be missing at an end.
bool is_of_one_moment(const std::vector<int>& values) {
    if (values.size() + 1 < slices || values.size() > slices) return false;
    int steps = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        const int back = (values[i - 1] / 8 - values[i] / 8 + generations) % generations;
        if (values[i] % 8 != values[i - 1] % 8 + 1 || back > 1) return false;
        steps += back;
    }
    return steps <= 1;
}

}   // namespace

TEST_CASE("changing: slices of a folder are exchanged beside running jobs") {
    if (!can_read_dicom()) return;
    const long flips = asked_flips() / 2;
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    Engine engine(*host::enumerate().native(), registry_with_peers());
    const TempFolder folder;
    fs::create_directories(folder / "job/volume");
    const auto file_of = [&](int position) { return folder / "job/volume" / (std::to_string(position) + ".dcm"); };
    const auto put = [&](int position, int generation) {
        write_text(folder / "coming", slice(position, generation));
        fs::rename(folder / "coming", file_of(position));
    };
    for (int i = 0; i < slices; ++i) put(i, 0);
    std::atomic<long> done = 0;
    std::jthread other([&](const std::stop_token& stop) {
        std::mt19937_64 random(seed);
        for (int generation = 1; done < flips && !stop.stop_requested(); generation = (generation + 1) % generations) {
            for (int i = 0; i < slices; ++i, ++done) {
                std::error_code ignored;
                switch (random() % 12) {
                    case 0: fs::remove(file_of(i), ignored); break;
                    case 1: fs::resize_file(file_of(i), random() % 700, ignored); break;
                    case 2: write_text(file_of(i), slice(i, generation)); break;   // in place
                    default: break;
                }
                put(i, generation);
                std::this_thread::sleep_for(std::chrono::microseconds(random() % (random() % 4 == 0 ? 60000 : 6000)));
            }
        }
    });
    CopiedBeside job(engine, folder, "volume", false);
    long right = 0, whole = 0;
    for (bool at_last = false; !at_last;) {
        if (done >= flips) {   // how many were right beside the other is luck; alone the same job is
            other.join();
            for (int i = 0; i < slices; ++i) put(i, 7);
            at_last = true;
            whole = 0;
        }
        const std::optional<HostArray> array = job.run();
        if (!array) continue;
        const auto* const elements = array->as<std::uint8_t>();
        std::vector<int> values;
        for (std::int64_t at = 0; at < array->desc.count(); at += pixels) {
            REQUIRE(std::all_of(elements + at, elements + at + pixels, [&](std::uint8_t one) { return one == elements[at]; }));
            values.push_back(elements[at]);
        }
        CAPTURE(Json(values).dump());
        REQUIRE(is_of_one_moment(values));
        ++right;
        whole += values.size() == slices ? 1 : 0;
    }
    MESSAGE(done.load() << " exchanges, " << right << " jobs right, " << job.refused() << " refused, of them as changed "
                        << job.changed());
    CHECK(whole == 1);
}

#endif
